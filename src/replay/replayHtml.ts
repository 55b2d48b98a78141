/**
 * One HTML file that shows a replay: the data, and the viewer as a classic script. It opens by double-click and fetches nothing,
 * which its content security policy forbids.
 */

import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { ReplayData } from "./format.ts";

export interface ReplayHtmlOptions {
  /** Title of the page. Default the replay's. */
  readonly title?: string;
  /** Default as the reader's system has it. */
  readonly theme?: "light" | "dark";
}

const optionNames = optionNamesOf<ReplayHtmlOptions>()("title theme");

/** Everything inline, and nothing from elsewhere. */
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

export function replayHtml(data: ReplayData, viewerScript: string, options: ReplayHtmlOptions = {}): string {
  requireOptionNames("options", options, optionNames);
  const { title = data.title, theme } = options;
  if (theme !== undefined && theme !== "light" && theme !== "dark") {
    throw new ArgumentError(
      "unknown-name",
      "options.theme",
      `${JSON.stringify(theme)}; give "light" or "dark", or leave it out`,
    );
  }
  return `<!doctype html>
<html lang="en"${theme ? ` data-theme="${theme}"` : ""}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="generator" content="dojo-sim">
<title>${escapedText(title)}</title>
</head>
<body>
<main id="replay"></main>
<noscript>This page shows a motion in 3D and needs JavaScript.</noscript>
<script type="application/json" id="replay-data">${escapedJson(data)}</script>
<script>${escapedScript(viewerScript)}</script>
</body>
</html>
`;
}

function escapedText(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => names[character]);
}

/** JSON in which nothing can end the element that holds it. */
function escapedJson(data: ReplayData): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

/** The same for a script, in whose strings, templates and regular expressions \x3c is <. */
function escapedScript(script: string): string {
  return script.replace(/<(?=\/script|!--)/gi, "\\x3c");
}
