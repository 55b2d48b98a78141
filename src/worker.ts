/** The worker's script that comes with the package. */
import { serveWork } from "./work/index.ts";
import { workKinds } from "./workKinds.ts";

serveWork(workKinds);
