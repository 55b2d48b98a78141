/** A script for threads that know the toys, and nothing else. */
import { serveWork } from "../../src/work/index.ts";
import { toyKinds } from "./toyKinds.ts";

serveWork(toyKinds);
