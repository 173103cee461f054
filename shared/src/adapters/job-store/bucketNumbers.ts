import { placeInOrder } from '../../runtime/placeInOrder.js';

/** The numbers of the buckets of a group that have jobs. */
export class BucketNumbers {
  /** In their order. */
  private readonly numbers: number[];

  constructor(numbers: readonly number[] = []) {
    this.numbers = [...numbers];
  }

  /** From text such as `3-17,19`. */
  static parse(text: string): BucketNumbers {
    const numbers: number[] = [];
    for (const range of text === '' ? [] : text.split(',')) {
      const [first = 0, last = first] = range.split('-').map(Number);
      for (let number = first; number <= last; number += 1) numbers.push(number);
    }
    return new BucketNumbers(numbers);
  }

  toString(): string {
    const ranges: string[] = [];
    for (let from = 0, to = 0; from < this.numbers.length; from = to) {
      const first = this.numbers[from] as number;
      while (this.numbers[to] === first + to - from) to += 1;
      ranges.push(to - from === 1 ? String(first) : `${first}-${first + to - from - 1}`);
    }
    return ranges.join(',');
  }

  has(number: number): boolean {
    return this.numbers[placeInOrder(this.numbers, number)] === number;
  }

  get last(): number | undefined {
    return this.numbers.at(-1);
  }

  /** One at or behind this. */
  next(number: number): number | undefined {
    return this.numbers[placeInOrder(this.numbers, number)];
  }

  with(number: number): BucketNumbers {
    if (this.has(number)) return this;
    const place = placeInOrder(this.numbers, number);
    return new BucketNumbers([...this.numbers.slice(0, place), number, ...this.numbers.slice(place)]);
  }

  without(numbers: ReadonlySet<number>): BucketNumbers {
    return numbers.size === 0 ? this : new BucketNumbers(this.numbers.filter((each) => !numbers.has(each)));
  }
}
