/** What scenes there are, for lists in tools: a line on each, and its size with default options. */
export interface SceneSummary {
  readonly name: string;
  readonly summary: string;
  readonly bodies: number;
}

const rows = [
  ["stack", "boxes on top of each other", 10],
  ["pyramid", "boxes in square layers", 55],
  ["cardHouse", "cards that lean against each other, three storeys high", 14],
  ["dominoes", "a row of dominoes, the first of which is pushed", 50],
  ["pile", "bodies of all shapes, poured into a bin", 40],
  ["gripper", "two fingers that hold a box, a can or a crystal", 4],
  ["cradle", "Newton's cradle", 5],
  ["marbles", "balls that roll in a bowl", 12],
  ["pegInHole", "a square peg and a square hole with a millimetre of play", 1],
] as const;

export type SceneName = (typeof rows)[number][0];

export const sceneSummaries: readonly (SceneSummary & { readonly name: SceneName })[] = rows.map(
  ([name, summary, bodies]) => ({ name, summary, bodies }),
);
export const sceneNames: readonly SceneName[] = rows.map(([name]) => name);
