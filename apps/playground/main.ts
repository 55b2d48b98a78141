/** Entry of the playground. */
import { modelNames } from "dojo-sim";

const main = document.getElementById("playground");
if (main) main.textContent = `${modelNames.length} models`;
