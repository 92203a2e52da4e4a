import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Chance, the same every time for the same seed. */
export class Dice {
  readonly #generator;

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return uniformInt(this.#generator, least, most);
  }

  /** A number in [0, 1). */
  fraction(): number {
    return this.whole(0, 999_999) / 1_000_000;
  }

  percent(percent: number): boolean {
    return this.whole(0, 99) < percent;
  }

  /** Mostly small, at times large: each order of magnitude is as likely as the next. */
  spread(least: number, most: number): number {
    return least * (most / least) ** this.fraction();
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const rest = [...items];
    const shuffled: Item[] = [];
    while (rest.length > 0) shuffled.push(...rest.splice(this.whole(0, rest.length - 1), 1));
    return shuffled;
  }
}
