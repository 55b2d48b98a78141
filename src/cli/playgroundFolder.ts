/** Where the built pages are. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InputError } from "./inputError.ts";

/** From dist/cli it is one folder up, from src/cli it is in dist. */
export function playgroundFolder(): string {
  const places = ["../playground/", "../../dist/playground/"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const found = places.find((place) => existsSync(`${place}index.html`));
  if (found) return found;
  throw new InputError(`the playground is not built: ${places[0]} is missing; npm run build makes it`);
}
