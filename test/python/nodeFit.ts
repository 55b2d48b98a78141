/**
 * Fits recordings by the library with nothing but what it must be told, and prints what comes of it: what Python and the command line find too.
 *   tsx test/python/nodeFit.ts model.json set.json recording.csv ...
 */
import { readFileSync } from "node:fs";
import { compile, fitParameters, fromJson, parseRecording } from "dojo-sim";

const [model, set, ...files] = process.argv.slice(2);
const description = fromJson(readFileSync(model, "utf8"), model);
const mechanism = compile(description);
const recordings = files.map((file) => parseRecording(readFileSync(file, "utf8"), mechanism, { file }));
const { parameters, warnings } = await fitParameters({
  ...{ description, recordings },
  set: JSON.parse(readFileSync(set, "utf8")),
});
process.stdout.write(JSON.stringify({ parameters, warnings: warnings.map(({ message }) => message) }));
