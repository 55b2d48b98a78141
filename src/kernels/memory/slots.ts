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
  /** In words from the beginning of the list. */
  readonly start: number;
  readonly size: number;
  readonly slots: Int32Array;
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
    slots: new Int32Array(slots),
    pair,
    single,
    width,
    operands: addresses,
    sinks: Int32Array.from({ length: width }, (_, o) => sinks?.[o] ?? -1),
    shared: new Int32Array(shared),
  };
}

/** Writes the calls of members whose slot is `wanted` into the list that begins at word `at`, and returns how many entries it has. */
export function chooseInto(i32: Int32Array, at: number, chosen: ChosenList, slots: Uint8Array, wanted: 0 | 1): number {
  const { rooms } = chosen;
  let entries = chosen.fixedEntries;
  for (let k = 0; k < rooms.length; k++) {
    const room = rooms[k];
    const begin = at + room.start;
    const members = room.slots;
    let cursor = begin + headerWords;
    let lengthAt = begin + 1;
    i32[lengthAt] = headerWords;
    let first = -1;
    for (let i = 0; i < members.length; i++) {
      if (slots[members[i]] !== wanted) continue;
      if (first < 0) {
        first = i;
        continue;
      }
      lengthAt = cursor + 1;
      cursor = writeCall(i32, cursor, room, first, i);
      entries++;
      first = -1;
    }
    if (first >= 0) {
      lengthAt = cursor + 1;
      cursor = writeCall(i32, cursor, room, first, -1);
      entries++;
    }
    i32[lengthAt] += begin + room.size - cursor;
  }
  return entries;
}

/** The call of two members, or of one where the second is −1; returns the word behind it. */
function writeCall(i32: Int32Array, cursor: number, room: Room, first: number, second: number): number {
  const { operands, sinks, shared, width, single } = room;
  let word = cursor + headerWords;
  const a = first * width;
  if (second < 0 && single >= 0) for (let o = 0; o < width; o++) i32[word++] = operands[a + o];
  else {
    const b = second * width;
    for (let o = 0; o < width; o++) {
      i32[word++] = operands[a + o];
      i32[word++] = second >= 0 ? operands[b + o] : sinks[o] >= 0 ? sinks[o] : operands[a + o];
    }
  }
  for (let k = 0; k < shared.length; k++) i32[word++] = shared[k];
  i32[cursor] = second < 0 && single >= 0 ? single : room.pair;
  i32[cursor + 1] = word - cursor;
  i32[cursor + 2] = 1;
  return word;
}
