/**
 * Call lists for members that come and go. A mechanism's contacts have *slots*: places in memory and in the lists, whether they take part
 * in a step or not. Of a list, the version for those that do has in the place of each group
 *   a call of nothing, then one call per pair of members that are chosen; the last one's length reaches to the end of the group's room.
 * Choosing others rewrites these calls and the number of entries, and nothing else.
 */
import { headerWords } from "../../codegen/index.ts";
import { registerNothing } from "./holes.ts";
import { CallList, type Members, type Register } from "./memory.ts";

/** The room of a group in a list of chosen members, and what it takes to write their calls. */
interface Room {
  /** Its first word, from the beginning of the list. */
  readonly start: number;
  readonly size: number;
  /** First member of every slot, and one more: pyramids of friction have several to a slot. */
  readonly members: Int32Array;
  readonly pair: number;
  /** −1 where the odd one out is a pair with itself. */
  readonly single: number;
  /** Operands of a member, and of all members one after another. */
  readonly width: number;
  readonly operands: Int32Array;
  /** Where the second lane of an odd one goes; −1 where it reads. */
  readonly sinks: Int32Array;
  readonly shared: Int32Array;
}

/** Which slots are chosen, and which are not. */
export class Choice {
  /** How often it has changed. */
  number = 0;
  /** The slots that are not chosen (0) and those that are (1), in ascending order, and how many. */
  readonly slots: readonly [Int32Array, Int32Array];
  readonly counts: [number, number] = [0, 0];
  /** How many of them are those of the choice before. */
  readonly same: [number, number] = [0, 0];

  constructor(size: number) {
    this.slots = [new Int32Array(size), new Int32Array(size)];
  }

  /** One number per slot, 1 or 0. */
  choose(slots: Uint8Array): void {
    const { counts, same } = this;
    const [leftBefore, chosenBefore] = counts;
    this.number++;
    counts[0] = counts[1] = same[0] = same[1] = 0;
    for (let slot = 0; slot < slots.length; slot++) {
      const which = slots[slot] as 0 | 1;
      const own = this.slots[which];
      const at = counts[which]++;
      if (same[which] === at && at < (which === 0 ? leftBefore : chosenBefore) && own[at] === slot) same[which]++;
      own[at] = slot;
    }
  }
}

/** A list for chosen members, none at first. */
export interface ChosenList {
  readonly list: CallList;
  readonly rooms: readonly Room[];
  /** Entries besides the calls of members. */
  readonly fixedEntries: number;
}

export function chosenList(list: CallList, register: Register): ChosenList {
  const nothing = registerNothing(register);
  const result = new CallList();
  const rooms: Room[] = [];
  let from = 0;
  let calls = 0;
  for (const { start, end, calls: count, members } of list.groups) {
    pushWords(result.words, list.words, from, start);
    const room = roomOf(result.words.length, members);
    rooms.push(room);
    result.words.push(nothing, room.size, 1);
    pushZeros(result.words, room.size - headerWords);
    from = end;
    calls += count;
  }
  pushWords(result.words, list.words, from, list.words.length);
  result.entries = list.entries - calls + rooms.length;
  const moved = (at: number): number =>
    list.groups.reduce((to, { start, end }, k) => (end <= at ? to + rooms[k].size - (end - start) : to), at);
  for (const hole of list.holes) result.holes.push({ ...hole, at: moved(hole.at) });
  for (const call of list.sized) result.sized.push({ ...call, at: moved(call.at) });
  return { list: result, rooms, fixedEntries: result.entries };
}

function pushWords(to: number[], words: readonly number[], start: number, end: number): void {
  for (let i = start; i < end; i++) to.push(words[i]);
}

function pushZeros(to: number[], count: number): void {
  for (let i = 0; i < count; i++) to.push(0);
}

function roomOf(start: number, { slots, operands, pair, single = -1, sinks, shared }: Members): Room {
  const width = operands[0].length;
  const addresses = new Int32Array(width * operands.length);
  for (let i = 0; i < operands.length; i++) addresses.set(operands[i], width * i);
  return {
    start,
    size: headerWords + Math.ceil(slots.length / 2) * (headerWords + 2 * width + shared.length),
    members: membersOf(slots),
    pair,
    single,
    width,
    operands: addresses,
    sinks: Int32Array.from({ length: width }, (_, o) => sinks?.[o] ?? -1),
    shared: new Int32Array(shared),
  };
}

function membersOf(slots: readonly number[]): Int32Array {
  if (slots.some((slot, i) => i > 0 && slot < slots[i - 1])) throw new RangeError("members are in the order of slots");
  const members = new Int32Array(slots[slots.length - 1] + 2);
  for (const slot of slots) members[slot + 1]++;
  for (let slot = 0; slot + 1 < members.length; slot++) members[slot + 1] += members[slot];
  return members;
}

/**
 * Writes the calls of members whose slot is `wanted` into the list that begins at word `at`, and returns how many entries it has. `goesOn`:
 * those of the choice before are written there.
 */
export function chooseInto(
  i32: Int32Array,
  at: number,
  chosen: ChosenList,
  choice: Choice,
  wanted: 0 | 1,
  goesOn: boolean,
): number {
  const { rooms } = chosen;
  const slots = choice.slots[wanted];
  const count = choice.counts[wanted];
  const same = goesOn ? choice.same[wanted] : 0;
  let entries = chosen.fixedEntries;
  for (let k = 0; k < rooms.length; k++) {
    const room = rooms[k];
    const { members } = room;
    const begin = at + room.start;
    let cursor = begin + headerWords;
    let lengthAt = begin + 1;
    i32[lengthAt] = headerWords;
    let first = -1;
    for (let i = 0; i < count && slots[i] + 1 < members.length; i++) {
      const end = members[slots[i] + 1];
      for (let member = members[slots[i]]; member < end; member++) {
        if (first < 0) {
          first = member;
          continue;
        }
        lengthAt = cursor + 1;
        cursor = i < same ? skipPair(i32, cursor, room) : writePair(i32, cursor, room, first, member);
        entries++;
        first = -1;
      }
    }
    if (first >= 0) {
      lengthAt = cursor + 1;
      cursor = writeOdd(i32, cursor, room, first);
      entries++;
    }
    i32[lengthAt] += begin + room.size - cursor;
  }
  return entries;
}

/** A call of two members that is written; its length may have been the way to the end of the room. */
function skipPair(i32: Int32Array, cursor: number, { width, shared }: Room): number {
  const length = headerWords + 2 * width + shared.length;
  i32[cursor + 1] = length;
  return cursor + length;
}

/** The call of two members; returns the word behind it. */
function writePair(i32: Int32Array, cursor: number, room: Room, first: number, second: number): number {
  const { operands, width } = room;
  let word = cursor + headerWords;
  let a = first * width;
  let b = second * width;
  for (let o = 0; o < width; o++) {
    i32[word] = operands[a++];
    i32[word + 1] = operands[b++];
    word += 2;
  }
  return writeRest(i32, cursor, word, room, room.pair);
}

/** The call of one. */
function writeOdd(i32: Int32Array, cursor: number, room: Room, member: number): number {
  const { operands, sinks, width, single } = room;
  let word = cursor + headerWords;
  for (let o = 0; o < width; o++) {
    const operand = operands[member * width + o];
    i32[word++] = operand;
    if (single < 0) i32[word++] = sinks[o] >= 0 ? sinks[o] : operand;
  }
  return writeRest(i32, cursor, word, room, single < 0 ? room.pair : single);
}

/** What its members share, and its head. */
function writeRest(i32: Int32Array, cursor: number, from: number, { shared }: Room, program: number): number {
  let word = from;
  for (let k = 0; k < shared.length; k++) i32[word++] = shared[k];
  i32[cursor] = program;
  i32[cursor + 1] = word - cursor;
  i32[cursor + 2] = 1;
  return word;
}
