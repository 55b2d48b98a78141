/** The worker's script that comes with the package. */
import { serveRollouts } from "./serveRollouts.ts";

serveRollouts();
