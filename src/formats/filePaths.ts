/** Names of files that robot files mention: joined with folders, in a browser as in Node. Separators may be / or \. */

/** A path without "." and "..", as far as they can be resolved, and with / alone. */
function normalized(path: string): string {
  const parts: string[] = [];
  const [root] = /^([A-Za-z]:)?[\\/]?/.exec(path) ?? [""];
  for (const part of path.slice(root.length).split(/[\\/]+/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return root.replace("\\", "/") + parts.join("/");
}

function isAbsolutePath(path: string): boolean {
  return /^([A-Za-z]:)?[\\/]/.test(path) || /^\w+:\/\//.test(path);
}

/** The file as seen from where the folder is; an absolute one, and one of no folder, stays what it is. */
export function joinPath(folder: string, file: string): string {
  if (/^\w+:\/\//.test(file)) return file;
  return isAbsolutePath(file) || folder === "" ? normalized(file) : normalized(`${folder}/${file}`);
}

/** The folder of a file; empty where it is only a name. */
export function folderOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end < 0 ? "" : path.slice(0, Math.max(end, 1));
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).pop() ?? "";
}

/** The last part without its ending. */
export function stemOf(path: string): string {
  return baseName(path).replace(/\.[^.]*$/, "");
}

/** The folder of an included file as the main one sees it. */
export function relativeFolder(main: string, file: string): string {
  const folder = folderOf(file);
  return main !== "" && folder.startsWith(`${main}/`) ? folder.slice(main.length + 1) : main === folder ? "" : folder;
}
