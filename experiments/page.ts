/** One page of all experiments: claims, tables, figures and remarks, in a file that needs no other. */
import { cpus, totalmem } from "node:os";
import { version } from "dojo-sim";
import type { Experiment, Presentation } from "./experiment.ts";
import { escapeMarkup, figureSvg, isMiss, tableHtml } from "./report.ts";

export interface PageEntry {
  readonly experiment: Experiment;
  readonly presentation: Presentation;
  /** How long it ran. */
  readonly seconds: number;
}

export interface Page {
  readonly entries: readonly PageEntry[];
  /** Names of experiments that did not come to an end. */
  readonly failed: readonly string[];
  readonly quick: boolean;
}

export async function reportPage({ entries, failed, quick }: Page): Promise<string> {
  const kind = quick ? "short runs, fewer cases than the full ones" : "full runs";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>dojo-sim: experiments</title>
<style>${style}</style>
<header>
<h1>Experiments</h1>
<p>What the paper claims, what this engine does, and what others do with the same mechanism on the same machine.</p>
<p class="facts">dojo-sim ${escapeMarkup(version)} · ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC · ${kind}<br>${escapeMarkup(machine())}</p>
</header>
<nav><table><thead><tr><th>experiment</th><td></td><td>misses</td><td>run time</td></tr></thead><tbody>
${entries.map(contentsLine).join("\n")}
${failed.map((name) => `<tr class="miss"><th>${escapeMarkup(name)}</th><td>did not come to an end</td><td></td><td></td></tr>`).join("\n")}
</tbody></table></nav>
<main>
${(await Promise.all(entries.map(section))).join("\n")}
</main>
</html>
`;
}

function contentsLine({ experiment: { name, title }, presentation, seconds }: PageEntry): string {
  const cells = presentation.tables.flatMap(({ rows }) => rows.flat().map(String));
  const misses = [...presentation.remarks, ...cells].filter(isMiss).length;
  return `<tr><th><a href="#${name}">${name}</a></th><td>${escapeMarkup(title)}</td><td${misses > 0 ? ' class="miss"' : ""}>${misses}</td><td>${seconds.toFixed(1)} s</td></tr>`;
}

async function section({ experiment: { name, title, claim }, presentation }: PageEntry): Promise<string> {
  const { tables, figures, remarks } = presentation;
  const remark = (text: string): string => `<li${isMiss(text) ? ' class="miss"' : ""}>${escapeMarkup(text)}</li>`;
  const drawn = figures.map(
    async (figure) =>
      `<figure>${await figureSvg(figure)}<figcaption>${escapeMarkup(figure.caption)}</figcaption></figure>`,
  );
  return `<section id="${name}">
<h2>${escapeMarkup(title)}</h2>
<p class="command"><code>dojo experiment ${name}</code></p>
<p class="claim">${escapeMarkup(claim)}</p>
${tables.map(tableHtml).join("\n")}
${(await Promise.all(drawn)).join("\n")}
${remarks.length > 0 ? `<ul>${remarks.map(remark).join("\n")}</ul>` : ""}
</section>`;
}

/** The machine as its figures need it: no names. */
function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model.replace(/\s+/g, " ").trim() ?? "unknown processor";
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${model}, ${memory} GiB, ${process.platform} ${process.arch}, Node ${process.version.slice(1)}`;
}

const style = `
:root { --ink: #1d2329; --quiet: #5b6670; --line: #d9dee3; --ground: #fbfbfa; --card: #fff; --accent: #0b63a5; --miss: #a8320a; --tint: #f1f4f6 }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ea; --quiet: #9aa5ae; --line: #363e46; --ground: #15191d; --card: #1c2126; --accent: #6db6f0; --miss: #ff9166; --tint: #222930 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1120px; padding: 2rem 1.5rem 4rem; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif }
h1 { margin: 0; font-size: 2.1rem; letter-spacing: -.02em }
h2 { margin: 0; font-size: 1.4rem; letter-spacing: -.01em }
header p { margin: .4rem 0 }
.facts, .command, caption, figcaption { color: var(--quiet); font-size: .9rem }
a { color: var(--accent); text-decoration: none }
a:hover { text-decoration: underline }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace }
section { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--line) }
.command { margin: .1rem 0 .8rem }
.claim { margin: 0 0 1.2rem; padding: .6rem 1rem; border-left: 3px solid var(--accent); background: var(--tint); max-width: 52rem }
.table { overflow-x: auto; margin: 1.2rem 0 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .93rem }
caption { caption-side: top; text-align: left; padding-bottom: .4rem }
th, td { padding: .32rem .9rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
.left, nav th, nav td:nth-child(2) { text-align: left }
tbody th { font-weight: 500 }
thead th, thead td { white-space: normal; vertical-align: bottom; border-bottom: 2px solid var(--line); font-weight: 600; color: var(--quiet) }
tbody tr:hover { background: var(--tint) }
nav { overflow-x: auto; margin-top: 1.5rem }
figure { margin: 1.4rem 0; padding: .8rem; background: #fff; border: 1px solid var(--line); border-radius: 8px; overflow-x: auto }
figure > svg { display: block; max-width: 100%; height: auto; color: #1d2329 }
figcaption { margin-top: .5rem; color: #5b6670 }
ul { padding-left: 1.2rem; max-width: 56rem }
li { margin: .3rem 0 }
.miss, tr.miss td { color: var(--miss); font-weight: 600 }
@media print {
  :root { --ink: #000; --quiet: #444; --line: #bbb; --ground: #fff; --card: #fff; --accent: #000; --miss: #a8320a; --tint: #fff }
  html { font-size: 8.5pt }
  body { max-width: none; padding: 0; font-size: 1rem }
  section { break-before: page; border: 0; margin: 0 }
  figure, table { break-inside: avoid }
  .table, nav, figure { overflow: visible }
  th, td { padding: .15rem .5rem; white-space: normal }
}
`;
