/**
 * A trajectory as an MCAP log (mcap.dev/spec), for Foxglove and its kin: poses of the bodies on /tf (foxglove.FrameTransforms),
 * their shapes on /scene (foxglove.SceneUpdate), and coordinates, inputs and contact forces on /telemetry, all JSON. One chunk
 * without compression, with indexes.
 */
import { bodyStateSize, rowAt, type Shape, seriesOf, type Trajectory } from "../../index.ts";
import { ByteWriter, crc32 } from "./binary.ts";

const opcodes = {
  header: 0x01,
  footer: 0x02,
  schema: 0x03,
  channel: 0x04,
  message: 0x05,
  chunk: 0x06,
  messageIndex: 0x07,
  chunkIndex: 0x08,
  statistics: 0x0b,
  dataEnd: 0x0f,
} as const;
const magic = Uint8Array.of(0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a);
const topics = [
  { id: 1, topic: "/tf", schema: "foxglove.FrameTransforms" },
  { id: 2, topic: "/scene", schema: "foxglove.SceneUpdate" },
  { id: 3, topic: "/telemetry", schema: "dojo.Telemetry" },
] as const;

type Record = readonly [channel: number, time: bigint, data: unknown];

export function mcapOf(trajectory: Trajectory): Uint8Array {
  const records = recordsOf(trajectory);
  const registry = new ByteWriter();
  for (const { id, topic, schema } of topics) {
    const shape = new TextEncoder().encode(JSON.stringify({ title: schema, type: "object" }));
    record(registry, opcodes.schema, (w) =>
      w.u16(id).string(schema).string("jsonschema").u32(shape.length).bytes(shape),
    );
    record(registry, opcodes.channel, (w) => w.u16(id).u16(id).string(topic).string("json").u32(0));
  }

  // the chunk, and where in it each message begins
  const chunk = new ByteWriter().bytes(registry.done());
  const places = new Map<number, [bigint, number][]>(topics.map(({ id }) => [id, []]));
  records.forEach(([channel, time, data], sequence) => {
    places.get(channel)?.push([time, chunk.length]);
    const bytes = new TextEncoder().encode(JSON.stringify(data));
    record(chunk, opcodes.message, (w) => w.u16(channel).u32(sequence).u64(time).u64(time).bytes(bytes));
  });
  const [first, last] = [records[0][1], records[records.length - 1][1]];

  const out = new ByteWriter().bytes(magic);
  record(out, opcodes.header, (w) => w.string("").string("dojo-sim"));
  const chunkStart = out.length;
  record(out, opcodes.chunk, (w) => {
    const bytes = chunk.done();
    return w.u64(first).u64(last).u64(bytes.length).u32(crc32(bytes)).string("").u64(bytes.length).bytes(bytes);
  });
  const chunkLength = out.length - chunkStart;
  const indexOffsets: [number, number][] = [];
  const indexStart = out.length;
  for (const [channel, entries] of places) {
    indexOffsets.push([channel, out.length]);
    record(out, opcodes.messageIndex, (w) => {
      w.u16(channel).u32(16 * entries.length);
      for (const [time, at] of entries) w.u64(time).u64(at);
      return w;
    });
  }
  const indexLength = out.length - indexStart;
  record(out, opcodes.dataEnd, (w) => w.u32(0));

  // the summary
  const summaryStart = out.length;
  out.bytes(registry.done());
  record(out, opcodes.chunkIndex, (w) => {
    w.u64(first)
      .u64(last)
      .u64(chunkStart)
      .u64(chunkLength)
      .u32(10 * indexOffsets.length);
    for (const [channel, at] of indexOffsets) w.u16(channel).u64(at);
    return w.u64(indexLength).string("").u64(chunk.length).u64(chunk.length);
  });
  record(out, opcodes.statistics, (w) => {
    w.u64(records.length).u16(topics.length).u32(topics.length).u32(0).u32(0).u32(1).u64(first).u64(last);
    w.u32(10 * topics.length);
    for (const { id } of topics) w.u16(id).u64(places.get(id)?.length ?? 0);
    return w;
  });
  record(out, opcodes.footer, (w) => w.u64(summaryStart).u64(0).u32(0));
  return out.bytes(magic).done();
}

function record(out: ByteWriter, opcode: number, fill: (writer: ByteWriter) => ByteWriter): void {
  const content = fill(new ByteWriter()).done();
  out.u8(opcode).u64(content.length).bytes(content);
}

const nanoseconds = (seconds: number): bigint => BigInt(Math.round(seconds * 1e9));
const stamp = (time: bigint) => ({ sec: Number(time / 1_000_000_000n), nsec: Number(time % 1_000_000_000n) });

function recordsOf(trajectory: Trajectory): Record[] {
  const { mechanism, states, times } = trajectory;
  const series = seriesOf(trajectory).filter(({ name }) =>
    ["coordinates", "rates", "inputs", "contacts", "touches"].includes(name),
  );
  const records: Record[] = [[2, 0n, sceneOf(trajectory)]];
  states.forEach((state, k) => {
    const time = nanoseconds(times[k]);
    const transforms = mechanism.bodies.map(({ name, index }) => {
      const [x, y, z, qw, qx, qy, qz] = state.subarray(bodyStateSize * index);
      return {
        timestamp: stamp(time),
        parent_frame_id: "world",
        child_frame_id: name,
        translation: { x, y, z },
        rotation: { x: qx, y: qy, z: qz, w: qw },
      };
    });
    records.push([1, time, { transforms }]);
    const values: { [name: string]: number } = {};
    for (const one of series) {
      const row = rowAt(one, k);
      one.columns.forEach((column, i) => {
        if (row) values[column] = row[i];
      });
    }
    records.push([3, time, values]);
  });
  return records;
}

function sceneOf({ mechanism }: Trajectory): unknown {
  const entities = mechanism.bodies.map(({ name }) => {
    const shapes = mechanism.description.bodies[name].shapes ?? [];
    const spheres: unknown[] = [];
    const cubes: unknown[] = [];
    const cylinders: unknown[] = [];
    for (const shape of shapes) {
      const at = { pose: poseOf(shape), color: colorOf(shape.color) };
      if (shape.kind === "box") cubes.push({ ...at, size: xyz(shape.size) });
      else if (shape.kind === "sphere")
        spheres.push({ ...at, size: xyz([2 * shape.radius, 2 * shape.radius, 2 * shape.radius]) });
      else if (shape.kind === "ellipsoid") spheres.push({ ...at, size: xyz(shape.radii.map((radius) => 2 * radius)) });
      else if (shape.kind === "capsule" || shape.kind === "cylinder") {
        const size = xyz([2 * shape.radius, 2 * shape.radius, shape.length]);
        cylinders.push({ ...at, size, bottom_scale: 1, top_scale: 1 });
        if (shape.kind === "capsule")
          spheres.push(...capsuleEnds(shape).map((pose) => ({ ...at, pose, size: xyz([size.x, size.x, size.x]) })));
      }
    }
    return {
      timestamp: stamp(0n),
      frame_id: name,
      id: name,
      lifetime: { sec: 0, nsec: 0 },
      frame_locked: true,
      metadata: [],
      ...{ arrows: [], cubes, spheres, cylinders, lines: [], triangles: [], texts: [], models: [] },
    };
  });
  return { deletions: [], entities };
}

const xyz = ([x, y, z]: readonly number[]) => ({ x, y, z });

function poseOf({ position = [0, 0, 0], orientation = [1, 0, 0, 0] }: Shape): unknown {
  const [w, x, y, z] = orientation;
  return { position: xyz(position), orientation: { x, y, z, w } };
}

/** Poses of the two centres, half the length along the turned z axis. */
function capsuleEnds({
  position = [0, 0, 0],
  orientation = [1, 0, 0, 0],
  length,
}: Shape & { kind: "capsule" }): unknown[] {
  const [w, x, y, z] = orientation;
  const axis = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
  return [-0.5, 0.5].map((part) => ({
    position: xyz(position.map((entry, k) => entry + part * length * axis[k])),
    orientation: { x: 0, y: 0, z: 0, w: 1 },
  }));
}

/** #rrggbb, else grey. */
function colorOf(color: string | undefined): unknown {
  const digits = /^#([0-9a-f]{6})$/i.exec(color ?? "")?.[1] ?? "b0b0b0";
  const [r, g, b] = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255);
  return { r, g, b, a: 1 };
}
