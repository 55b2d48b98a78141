/** Runs episodes for the trainer. */
import { episodeKind, serveWork } from "dojo-sim";

serveWork([episodeKind]);
