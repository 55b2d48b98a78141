/** The page's style sheet. Text has a contrast of 7 or more with what is behind it. */
export const style = `
:root { color-scheme: light; --page: #f6f8fa; --panel: #ffffff; --edge: #d3dbe4; --text: #18212b; --soft: #48566a; --accent: #0b62b8;
  --on-accent: #ffffff; --alarm: #b3261e; --grid: #e3e8ee; --line0: #0b62b8; --line1: #c2571a; --line2: #1f7a4d; --line3: #8a3ea8; --line4: #6b5d00; }
:root[data-theme=dark] { color-scheme: dark; --page: #0d1117; --panel: #151b23; --edge: #2d3846; --text: #e8edf3; --soft: #a9b6c6;
  --accent: #6cb2ff; --on-accent: #06121f; --alarm: #ff8a80; --grid: #263140; --line0: #6cb2ff; --line1: #ffa45c; --line2: #6fd49b;
  --line3: #d79bf0; --line4: #e3cf57; }
* { box-sizing: border-box; }
html, body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 1500px; margin: 0 auto; padding: 12px 16px 20px; display: grid; gap: 10px; }
h1 { font-size: 1.35rem; line-height: 1.2; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: .84rem; margin: 0 0 2px; font-weight: 600; }
dl { margin: 0; display: flex; flex-wrap: wrap; gap: 2px 22px; }
dl div { display: flex; gap: 7px; }
dt { color: var(--soft); }
dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 500; }
.alarming dd { color: var(--alarm); font-weight: 700; }
.stage { position: relative; height: clamp(280px, 58vh, 760px); border: 1px solid var(--edge); border-radius: 10px; overflow: hidden; }
.stage canvas { display: block; width: 100%; height: 100%; cursor: grab; }
.stage canvas:active { cursor: grabbing; }
.controls, .transport, .options { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 10px; }
.controls { background: var(--panel); border: 1px solid var(--edge); border-radius: 10px; padding: 8px 12px; gap: 8px 18px; }
.transport { flex: 1 1 420px; flex-wrap: nowrap; }
.timeline { flex: 1 1 80px; min-width: 60px; height: 28px; margin: 0; accent-color: var(--accent); }
.clock { font-variant-numeric: tabular-nums; white-space: nowrap; }
button, select { font: inherit; color: var(--text); background: var(--page); border: 1px solid var(--edge); border-radius: 7px; min-height: 36px;
  min-width: 36px; padding: 0 11px; cursor: pointer; }
button:hover, select:hover { border-color: var(--accent); }
button[aria-pressed=true] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
button.play { background: var(--accent); border-color: var(--accent); color: var(--on-accent); min-width: 50px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.plots { display: grid; grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); gap: 10px; }
.panel { margin: 0; background: var(--panel); border: 1px solid var(--edge); border-radius: 10px; padding: 8px 12px; }
.plot { display: block; width: 100%; height: auto; cursor: crosshair; touch-action: pan-y; }
.plot text { font-size: 11.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.plot .grid { stroke: var(--grid); }
.plot .line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.plot .cursor { stroke: var(--text); stroke-width: 1; opacity: .75; }
.line0 { stroke: var(--line0); --key: var(--line0); } .line1 { stroke: var(--line1); --key: var(--line1); } .line2 { stroke: var(--line2); --key: var(--line2); }
.line3 { stroke: var(--line3); --key: var(--line3); } .line4 { stroke: var(--line4); --key: var(--line4); }
.legend { list-style: none; margin: 2px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 14px; font-size: .8rem; }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend output { font-variant-numeric: tabular-nums; min-width: 3.6em; color: var(--soft); }
.key { width: 14px; height: 3px; border-radius: 2px; background: var(--key); }
.hint { color: var(--soft); font-size: .84rem; margin: 0; }
kbd { font: inherit; border: 1px solid var(--edge); border-radius: 4px; padding: 0 5px; background: var(--panel); }
.failed { padding: 24px; }
@media (max-width: 1000px) { .plots { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (max-width: 640px) {
  .plots { grid-template-columns: minmax(0, 1fr); }
  main { padding: 10px 10px 16px; }
  .stage { height: 46vh; }
  .transport { flex-basis: 100%; flex-wrap: wrap; }
  .timeline { order: -1; flex-basis: 100%; }
  .clock { margin-left: auto; }
  .hint { display: none; }
  button, select { min-height: 42px; }
}
`;
