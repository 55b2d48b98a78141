/** Temporary files of this worker, and of the programs that it starts, lie in the folder of the test run. */
import { inject } from "vitest";

for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = inject("temporaryFolder");
