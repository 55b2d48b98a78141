/** A thread of the pool. */
import { serveRollouts } from "dojo-sim";

serveRollouts();
