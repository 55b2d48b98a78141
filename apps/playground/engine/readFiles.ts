/** Reads the files of a request. What reads them is a quarter of the engine, and is loaded when the first are given. */
import type { Request } from "../protocol.ts";
import type { ReadRequest } from "./session.ts";

/** The request with the robot in place of its files; any other as it is. */
export async function readFiles(request: Request): Promise<ReadRequest> {
  if (request.kind !== "load") return request;
  const { source, ...rest } = request.choice;
  if (source.kind !== "files") return { kind: "load", choice: { source, ...rest } };
  const { loadRobot } = await import("./robotFiles.ts");
  const robot = loadRobot(source.files, rest.collisions);
  return { kind: "load", choice: { source: { kind: "robot", robot }, ...rest } };
}
