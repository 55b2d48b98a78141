/** What a job could not test, collected from its stages in the file that NOT_TESTED names. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

export function sayNotTested(subject: string): void {
  if (process.env.NOT_TESTED) appendFileSync(process.env.NOT_TESTED, `${subject}\n`);
}

/** The end of a job's last line: nothing if everything was tested. */
export function notTestedText(file: string): string {
  const subjects = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return subjects.length === 0 ? "" : ` NOT TESTED: ${subjects.join("; ").toUpperCase()}.`;
}
