/**
 * Replaces a folder by a new one that is made beside it: whoever uses the old one has all of it until the new one is whole, and keeps it
 * where making the new one fails. The two stand side by side, at the same depth, so that relative paths in what is made stay right.
 */
import { existsSync, renameSync, rmSync } from "node:fs";

/** `make` fills the folder that it is handed, and says whether that is to stand in place of the old one. */
export async function replaceFolder(folder: string, make: (aside: string) => Promise<boolean>): Promise<boolean> {
  const [next, last] = [`${folder}.next`, `${folder}.last`];
  const remove = (): void => {
    for (const path of [next, last]) rmSync(path, { recursive: true, force: true });
  };
  remove();
  try {
    if (!(await make(next))) return false;
    if (existsSync(folder)) renameSync(folder, last);
    renameSync(next, folder);
    return true;
  } finally {
    remove();
  }
}
