/** Finds the fenced TypeScript blocks of the Markdown pages. */
export interface Snippet {
  /** Page and line of the opening fence: "README.md:12". */
  readonly origin: string;
  readonly code: string;
  /** False for blocks fenced as `ts no-run`: they are type-checked only. */
  readonly runs: boolean;
}

export function snippetsOf(page: string, markdown: string): Snippet[] {
  const snippets: Snippet[] = [];
  const lines = markdown.split("\n");
  let open: { fence: string; language: string; start: number } | undefined;
  lines.forEach((line, index) => {
    const fence = /^\s*(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line);
    if (fence === null) return;
    if (open === undefined) {
      open = { fence: fence[1], language: fence[2], start: index };
    } else if (fence[2] === "" && fence[1].startsWith(open.fence)) {
      const [language, ...words] = open.language.split(/\s+/);
      if (language === "ts" || language === "typescript") {
        const code = `${lines.slice(open.start + 1, index).join("\n")}\n`;
        snippets.push({ origin: `${page}:${open.start + 1}`, code, runs: !words.includes("no-run") });
      }
      open = undefined;
    }
  });
  if (open !== undefined) throw new Error(`${page}:${open.start + 1}  the code fence is never closed`);
  return snippets;
}
