/** A thread that runs episodes. */
import { serveWork, workKinds } from "dojo-sim";

serveWork(workKinds);
