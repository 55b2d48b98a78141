/** Tables and figures of the identification experiment. */
import type { Figure, Presentation, Table } from "../experiment.ts";
import { number, Plot } from "../report.ts";
import { published, publishedCorners, type Result } from "./result.ts";

const percent = (value: number): string => `${(100 * value).toPrecision(2)}%`;
const fixed = (value: number | null, digits = 1): string => (value === null ? "–" : value.toFixed(digits));

export function present(result: Result): Presentation {
  const { noiseFree, coverage, real } = result;
  const tables: Table[] = [
    {
      caption:
        "Made-up data without noise, truth simulated with a quarter of the frames' interval, starts up to 30% off",
      rows: [
        ["case", "worst error of a parameter", "asked for", "iterations"],
        ...noiseFree.map(({ name, worst, iterations }) => [
          name,
          percent(worst),
          worst <= 1e-3 ? "0.1%" : "0.1%: missed",
          iterations,
        ]),
      ],
    },
    {
      caption: "How often 95% intervals cover the truth, with noise",
      rows: [
        ["case", "parameter", "covered", "trials", "asked for"],
        ...coverage.flatMap(({ name, covered, trials }) =>
          Object.entries(covered).map(([parameter, share]) => [
            name,
            parameter,
            percent3(share),
            trials,
            trials < 50 || (share >= 0.92 && share <= 0.98) ? "92–98%" : "92–98%: missed",
          ]),
        ),
      ],
    },
    ...(real ? realTables(real) : []),
  ];
  return { tables, figures: figuresOf(result), remarks: remarksOf(result) };
}

const percent3 = (value: number): string => `${(100 * value).toFixed(1)}%`;

function realTables({ fits, mujoco, corners, trainCount }: NonNullable<Result["real"]>): Table[] {
  const ours = fits.map(({ name, test, train, seconds }) => [
    `ours: ${name}`,
    `${fixed(test.positionPercent)} ± ${fixed(test.positionDeviation)}`,
    `${fixed(test.rotationDegrees)} ± ${fixed(test.rotationDeviation)}`,
    `${fixed(train.positionPercent)}, ${fixed(train.rotationDegrees)}`,
    `${test.tosses} others`,
    fixed(seconds, 0),
  ]);
  const theirs = mujoco.map(({ name, test, train }) => [
    name,
    fixed(test.positionPercent),
    fixed(test.rotationDegrees),
    `${fixed(train.positionPercent)}, ${fixed(train.rotationDegrees)}`,
    `${test.tosses} others`,
    "",
  ]);
  return [
    {
      caption: `Real tosses: errors of predictions, fitted on ${trainCount} tosses`,
      rows: [
        ["", "position, % of the width", "rotation, °", "on those fitted", "scored on", "fit, s"],
        ...ours,
        ...theirs,
        ...published.map(({ engine, position, rotation }) => [engine, position, rotation, "", "those fitted", ""]),
      ],
    },
    {
      caption: "Parameters of the last fit",
      rows: [
        ["parameter", "value", "95% interval"],
        ...Object.entries(fits[fits.length - 1].parameters).map(([name, { value, interval }]) => [
          name,
          number(value),
          interval ? `${number(interval[0])} … ${number(interval[1])}` : "–",
        ]),
      ],
    },
    {
      caption:
        "25 parameters (friction, corners) from corners 1.1 to 1.5 times too far out, friction 0.4, every seventh frame",
      rows: [
        ["", "tosses", "corners off, mean", "at most", "friction", "iterations", "s"],
        ...corners.map(({ tosses, mean, largest, friction, iterations, seconds }) => [
          "ours",
          tosses,
          percent(mean),
          percent(largest),
          number(friction),
          iterations,
          fixed(seconds),
        ]),
        [
          "the paper's",
          publishedCorners.tosses,
          percent(publishedCorners.mean),
          percent(publishedCorners.largest),
          "0.208",
          publishedCorners.iterations,
          "–",
        ],
      ],
    },
  ];
}

function figuresOf({ coverage, real }: Result): Figure[] {
  const covered = coverage.flatMap(({ name, covered: shares, trials }) =>
    Object.entries(shares).map(([parameter, share]) => ({
      label: `${name.split(",")[0]}: ${parameter.split(".").at(-2) ?? ""} ${parameter.split(".").at(-1)}`,
      share: 100 * share,
      trials,
    })),
  );
  const panels: Figure["panels"][number][number][] = [
    {
      heading: "covered by 95% intervals",
      marginLeft: 150,
      x: { domain: [0, 100], label: "% of trials" },
      y: { label: null },
      marks: [
        Plot.ruleX([92, 98], { stroke: "#2a9d4a", strokeDasharray: "3,3" }),
        Plot.dot(covered, { x: "share", y: "label", fill: "#1b7fbd", r: 5 }),
      ],
    },
  ];
  if (real) {
    const rows = [
      ...real.fits.map(({ name, test }) => ({
        name,
        x: test.positionPercent ?? 0,
        y: test.rotationDegrees ?? 0,
        who: "ours",
      })),
      ...real.mujoco.map(({ name, test }) => ({
        name,
        x: test.positionPercent,
        y: test.rotationDegrees,
        who: "MuJoCo, here",
      })),
      ...published.map(({ engine, position, rotation }) => ({
        name: engine,
        x: Number.parseFloat(position),
        y: Number.parseFloat(rotation),
        who: "published",
      })),
    ];
    const color = { domain: ["ours", "MuJoCo, here", "published"], range: ["#1b7fbd", "#d95f02", "#777"] };
    const order = [...rows].sort((a, b) => a.y - b.y).map(({ name }) => name);
    panels.push(
      {
        heading: "errors: ours blue, MuJoCo orange, published grey",
        width: 470,
        marginTop: 20,
        marginLeft: 230,
        x: { label: "position, % of the width", grid: true, domain: [0, 32] },
        y: { label: null, domain: order },
        color,
        marks: [Plot.dot(rows, { x: "x", y: "name", fill: "who", r: 4 })],
      },
      {
        heading: "and of rotation",
        width: 250,
        marginTop: 20,
        marginLeft: 10,
        x: { label: "rotation, °", grid: true, domain: [0, 26] },
        y: { label: null, axis: null, domain: order },
        color,
        marks: [Plot.dot(rows, { x: "y", y: "name", fill: "who", r: 4 })],
      },
      {
        heading: "corners by the number of tosses",
        x: { type: "log", label: "tosses", grid: true },
        y: { type: "log", label: "off, % of the half-width", grid: true },
        marks: [
          Plot.ruleY([5], { stroke: "#2a9d4a", strokeDasharray: "3,3" }),
          Plot.line(real.curve, { x: "tosses", y: (row: { mean: number }) => 100 * row.mean, stroke: "#1b7fbd" }),
          Plot.dot(real.curve, { x: "tosses", y: (row: { mean: number }) => 100 * row.mean, fill: "#1b7fbd" }),
          Plot.line(real.curve, { x: "tosses", y: (row: { largest: number }) => 100 * row.largest, stroke: "#d95f02" }),
          Plot.dot([{ tosses: publishedCorners.contactNetsTosses, y: 5 }], {
            x: "tosses",
            y: "y",
            symbol: "times",
            stroke: "#777",
          }),
        ],
      },
    );
  }
  return [
    {
      name: "figure",
      caption:
        "How often intervals cover the truth; errors beside others'; corners by the number of tosses (blue mean, orange largest, grey cross ContactNets).",
      panels: [panels],
    },
  ];
}

function remarksOf({ real, noiseFree }: Result): string[] {
  const remarks = [
    "Made-up tosses are fitted with the truth's own step, four per frame: with one step per frame the moment of an impact is rounded to the frame, and that is an error of the model, not of the fit.",
    ...noiseFree
      .filter(({ worst }) => worst > 1e-3)
      .map(({ name, worst }) => `${name}: 0.1% is missed, the worst parameter is ${percent(worst)} off.`),
  ];
  if (!real)
    return [...remarks, "Real tosses are left out: in the short form, and where DOJO_TOSSES names no folder of them."];
  const without = real.fits[2].test;
  const bounced = real.fits
    .slice(3)
    .reduce((best, row) => ((row.test.positionPercent ?? 99) < (best.test.positionPercent ?? 99) ? row : best)).test;
  const said = (asked: string, position: number, rotation: number, test: typeof without): string => {
    const isMet = (test.positionPercent ?? 99) <= position && (test.rotationDegrees ?? 99) <= rotation;
    return `${asked}: ${fixed(test.positionPercent)}% and ${fixed(test.rotationDegrees)}° held out; asked for ${position}% and ${rotation}°${isMet ? "" : ": missed"}.`;
  };
  const enough = real.curve.find(({ mean }) => mean <= 0.05);
  return [
    ...remarks,
    said("Without restitution", 12.5, 12.5, without),
    said("With restitution", 10.5, 9, bounced),
    `Corners are within 5% in the mean from ${enough ? `${enough.tosses} tosses` : "more tosses than were tried"} on; ContactNets needs ${publishedCorners.contactNetsTosses}.`,
    "Corners are told as their distance from where they are over the half-width, 0.0513 m in the data's own lengths; mass properties are held at what the other fits found.",
    "Published engines were fitted to the tosses that they are scored on; ours and MuJoCo's rows are of tosses that no fit has seen.",
  ];
}
