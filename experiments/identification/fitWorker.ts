/** A thread of the executor. */
import { serveWork, workKinds } from "dojo-sim";

serveWork(workKinds);
