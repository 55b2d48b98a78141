/**
 * A trajectory for NumPy: `numpy.load("traj.npz")` gives one array a series and one of its column names, such as `states` and
 * `states_names`. A file is a zip archive without compression whose members are .npy files.
 */
import { seriesOf, type Trajectory } from "../../index.ts";
import { ByteWriter, crc32 } from "./binary.ts";

export function npzOf(trajectory: Trajectory): Uint8Array {
  const members: [string, Uint8Array][] = [["timestep", npyNumbers([], [trajectory.timestep])]];
  for (const { name, columns, length, row } of seriesOf(trajectory)) {
    const values = new Float64Array(length * columns.length);
    for (let k = 0; k < length; k++) values.set(row(k), k * columns.length);
    members.push([name, npyNumbers(name === "time" ? [length] : [length, columns.length], values)]);
    if (name === "time") continue;
    members.push([`${name}_names`, npyStrings(columns.map((column) => column.slice(column.indexOf(".") + 1)))]);
  }
  return zipOf(members.map(([name, bytes]) => [`${name}.npy`, bytes]));
}

function npyNumbers(shape: readonly number[], values: ArrayLike<number>): Uint8Array {
  const numbers = new DataView(new ArrayBuffer(8 * values.length));
  for (let i = 0; i < values.length; i++) numbers.setFloat64(8 * i, values[i], true);
  return npy("<f8", shape, new Uint8Array(numbers.buffer));
}

/** UTF-32, padded to the longest. */
function npyStrings(texts: readonly string[]): Uint8Array {
  const points = texts.map((text) => Array.from(text, (letter) => letter.codePointAt(0) as number));
  const width = Math.max(1, ...points.map(({ length }) => length));
  const letters = new DataView(new ArrayBuffer(4 * width * texts.length));
  points.forEach((text, i) => {
    text.forEach((point, k) => {
      letters.setUint32(4 * (i * width + k), point, true);
    });
  });
  return npy(`<U${width}`, [texts.length], new Uint8Array(letters.buffer));
}

function npy(type: string, shape: readonly number[], data: Uint8Array): Uint8Array {
  const sizes = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': ${sizes}, }`;
  // magic, version and length take 10 bytes; the data begin at a multiple of 64
  const padded = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`;
  const writer = new ByteWriter().bytes(Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0)).u16(padded.length);
  return writer.bytes(new TextEncoder().encode(padded)).bytes(data).done();
}

/** 1 January 1980, the first day of zip: files of equal content are equal. */
const date = (1 << 5) | 1;

function zipOf(members: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const out = new ByteWriter();
  const directory = new ByteWriter();
  for (const [name, bytes] of members) {
    const encoded = new TextEncoder().encode(name);
    const offset = out.length;
    const common = (writer: ByteWriter): ByteWriter =>
      // version 2.0, names in UTF-8, stored; time, date; checksum; sizes; lengths of name and extra field
      writer
        .u16(20)
        .u16(0x0800)
        .u16(0)
        .u16(0)
        .u16(date)
        .u32(crc32(bytes))
        .u32(bytes.length)
        .u32(bytes.length)
        .u16(encoded.length)
        .u16(0);
    common(out.u32(0x04034b50)).bytes(encoded).bytes(bytes);
    if (out.length > 0xffffffff) throw new RangeError("more than 4 GB: write fewer steps, or .csv");
    common(directory.u32(0x02014b50).u16(20)).u16(0).u16(0).u16(0).u32(0).u32(offset).bytes(encoded);
  }
  const start = out.length;
  out.bytes(directory.done());
  out.u32(0x06054b50).u16(0).u16(0).u16(members.length).u16(members.length).u32(directory.length).u32(start).u16(0);
  return out.done();
}
