/** Files: dropped onto the page, folders too, or chosen with a button. */
import { element } from "../../replay/elements.ts";
import type { GivenFile } from "../protocol.ts";

/** Files of a folder that are looked at. */
const mostFiles = 2000;

export interface FileDrop {
  readonly button: HTMLButtonElement;
  /** Inside the button. */
  readonly input: HTMLInputElement;
  /** Shown over the page while files are above it. */
  readonly overlay: HTMLElement;
}

/** What is asked for: endings, and how it is said. */
export interface FileWords {
  readonly accept: string;
  readonly title: string;
  readonly words: string;
}

const robots: FileWords = {
  accept: ".urdf,.srdf,.xml,.mjcf,.json,.zip,.mjz,.stl,.obj,.dae,.msh",
  title: "Open a URDF, MJCF, JSON or zip file (o)",
  words: "Drop a URDF, MJCF, JSON or zip file",
};

export function createFileDrop(
  open: (files: readonly GivenFile[]) => void,
  fail: (message: string) => void,
  { accept, title, words }: FileWords = robots,
): FileDrop {
  const input = element("input", {
    type: "file",
    multiple: true,
    hidden: true,
    accept,
  });
  const button = element("button", { type: "button", "data-action": "open", title }, "Open file", input);
  const overlay = element("div", { class: "drop", hidden: true }, element("p", {}, words));
  const take = async (files: readonly { readonly file: File; readonly path: string }[]): Promise<void> => {
    try {
      const given = files.map(async ({ file, path }) => ({
        name: path,
        bytes: new Uint8Array(await file.arrayBuffer()),
      }));
      if (files.length > 0) open(await Promise.all(given));
    } catch (error) {
      fail(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  button.addEventListener("click", (event) => {
    if (event.target !== input) input.click();
  });
  input.addEventListener("change", () => {
    take(Array.from(input.files ?? [], (file) => ({ file, path: file.name })));
    // the same file again is a change too
    input.value = "";
  });
  let above = 0;
  const isFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (isFiles(event)) overlay.hidden = ++above === 0;
  });
  window.addEventListener("dragleave", (event) => {
    if (isFiles(event)) overlay.hidden = --above <= 0;
  });
  window.addEventListener("dragover", (event) => {
    if (isFiles(event)) event.preventDefault();
  });
  window.addEventListener("drop", async (event) => {
    above = 0;
    overlay.hidden = true;
    if (!event.dataTransfer || !isFiles(event)) return;
    event.preventDefault();
    const entries = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry?.() ?? null);
    const plain = Array.from(event.dataTransfer.files, (file) => ({ file, path: file.name }));
    const folders = entries.filter((entry) => entry?.isDirectory);
    try {
      const inside = await Promise.all(folders.map((entry) => filesOf(entry as FileSystemEntry)));
      await take([...plain.filter(({ path }) => !folders.some((entry) => entry?.name === path)), ...inside.flat()]);
    } catch (error) {
      fail(`The folder cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  return { button, input, overlay };
}

async function filesOf(entry: FileSystemEntry): Promise<{ file: File; path: string }[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: { file: File; path: string }[] = [];
  for (;;) {
    // browsers give a hundred at a time
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await filesOf(one)));
    if (found.length > mostFiles) throw new RangeError(`it has more than ${mostFiles} files`);
  }
}
