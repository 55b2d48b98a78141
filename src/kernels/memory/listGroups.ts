/**
 * Which lists of a system have their programs made at once, and which when one of them first runs:
 *   step         what every step runs
 *   newton       steps without contacts in reach (smoothingNewton.ts)
 *   prediction   steps that go on (predictedStart.ts)
 *   full         where contacts are chosen, the lists of all of them: steps that are tried again
 * Of Atlas, a first step needs 9,700 instructions of 17,200.
 */
import type { CallList } from "./memory.ts";
import type { Caller, LoadedPrograms } from "./programSupply.ts";
import type { ChosenList } from "./slots.ts";

const groups = ["step", "newton", "prediction", "full"] as const;
type ListGroup = (typeof groups)[number];

/** `isChosen`: whether the mechanism has lists of chosen contacts, which run in place of the full ones. */
function groupOf(name: string, isChosen: boolean): ListGroup {
  const plain = name.replace(/^near\./, "");
  if (/^(newton$|chord$|smooth\.)/.test(plain)) return "newton";
  if (/^(free\.|ports\.|responses$|(finish|solve|slacks|place)$)/.test(plain)) return "prediction";
  return isChosen &&
    !/^(near\.|keep|(prepare|units|tolerances|natural|weights|look|survey|start|near|leave|remember|clean|next)$)/.test(
      name,
    )
    ? "full"
    : "step";
}

export class ListGroups {
  private readonly callers = new Map<ListGroup, Caller[]>(groups.map((group) => [group, []]));
  private readonly groupOfList = new Map<string, ListGroup>();

  constructor(lists: ReadonlyMap<string, CallList>, chosen: ReadonlyMap<string, ChosenList> | undefined) {
    for (const [name, list] of lists) {
      const group = groupOf(name, chosen !== undefined && chosen.size > 0);
      this.groupOfList.set(name, group);
      this.callers.get(group)?.push({ list, chosen: chosen?.get(name) });
    }
  }

  /** Lists whose programs are loaded at once. */
  get first(): readonly Caller[] {
    return this.callers.get("step") as Caller[];
  }

  /** What loads the programs that a list's group needs, by the name of the list; undefined where they are loaded at once. */
  loading(programs: LoadedPrograms): (name: string) => (() => void) | undefined {
    const loads = new Map(
      groups.slice(1).map((group) => [group, once(() => programs.add(this.callers.get(group) as Caller[]))]),
    );
    return (name) => loads.get(this.groupOfList.get(name) as ListGroup);
  }
}

function once(run: () => void): () => void {
  let hasRun = false;
  return () => {
    if (!hasRun) run();
    hasRun = true;
  };
}
