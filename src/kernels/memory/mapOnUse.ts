/** A map that is made when something is first looked up in it. */
export class MapOnUse<K, V> implements ReadonlyMap<K, V> {
  private readonly make: () => ReadonlyMap<K, V>;
  private made: ReadonlyMap<K, V> | undefined;

  constructor(make: () => ReadonlyMap<K, V>) {
    this.make = make;
  }

  private get map(): ReadonlyMap<K, V> {
    this.made ??= this.make();
    return this.made;
  }

  get size(): number {
    return this.map.size;
  }

  get(key: K): V | undefined {
    return this.map.get(key);
  }

  has(key: K): boolean {
    return this.map.has(key);
  }

  keys(): MapIterator<K> {
    return this.map.keys();
  }

  values(): MapIterator<V> {
    return this.map.values();
  }

  entries(): MapIterator<[K, V]> {
    return this.map.entries();
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    this.map.forEach(visit);
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.map[Symbol.iterator]();
  }
}
