/** Addresses of a call that passes the rows of a port, or of three, from one node on to others (portResponses.ts). */
import type { Addresses } from "../memory/pairedCalls.ts";

/** Addresses of rows on their way up. */
export interface Work {
  readonly rows: number;
  readonly forces: number;
}

/** Hundreds of these are asked for every operand once or twice when a robot is made: fields are cheaper than a map of names. */
export class PortAddresses implements Addresses {
  /** What has arrived at the node; where it goes on to, the body above and nodes that are tied. */
  from: Work | undefined;
  above: Work | undefined;
  ties: readonly Work[] = [];
  private readonly known: Addresses;
  private readonly rates: number;
  private readonly answers: number;
  private readonly perPort: number;

  /** `known`: what the node has, whatever the port; rates and answers are those of the first port, the others at equal distances. */
  constructor(known: Addresses, rates: number, answers: number, perPort: number) {
    this.known = known;
    this.rates = rates;
    this.answers = answers;
    this.perPort = perPort;
  }

  get(name: string): number | undefined {
    switch (name) {
      case "rows":
        return this.from?.rows;
      case "forces":
        return this.from?.forces;
      case "rowsAbove":
        return this.above?.rows;
      case "forcesAbove":
        return this.above?.forces;
      case "rates.0":
        return this.rates;
      case "answers.0":
        return this.answers;
      case "rates.1":
        return this.rates + this.perPort;
      case "answers.1":
        return this.answers + this.perPort;
      case "rates.2":
        return this.rates + 2 * this.perPort;
      case "answers.2":
        return this.answers + 2 * this.perPort;
    }
    return this.ties.length > 0 ? (this.ofTie(name) ?? this.known.get(name)) : this.known.get(name);
  }

  /** Addresses of "rows.i" and "forces.i". */
  private ofTie(name: string): number | undefined {
    const [what, number] = name.split(".");
    const tie = number === undefined ? undefined : this.ties[Number(number)];
    return what === "rows" ? tie?.rows : what === "forces" ? tie?.forces : undefined;
  }
}
