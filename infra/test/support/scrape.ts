import { expect } from 'chai';

/** One line of the text format. */
export interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a collector gets from a process. */
export interface Scrape {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly ScrapedSample[];
  /** All values of the name whose labels include these, added up; undefined where there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const line = /^([a-z_][\w]*)(?:\{(.*)\})? (\S+)$/i;
const label = /([a-z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/giy;

/** Reads the text format by what its specification says, and rejects any line that is not of it. */
export const parseScrape = (text: string): Scrape => {
  const types = new Map<string, string>();
  const samples: ScrapedSample[] = [];
  for (const each of text.split('\n').filter((found) => found !== '')) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(each);
    if (type) types.set(type[1] ?? '', type[2] ?? '');
    if (each.startsWith('# HELP ') || type) continue;
    const [, name, labels = '', value] = line.exec(each) ?? expect.fail(`Not a sample: ${each}`);
    samples.push({ name: name ?? '', labels: parseLabels(labels), value: numberOf(value ?? '') });
  }
  const sum: Scrape['sum'] = (name, labels = {}) => {
    const found = samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    );
    return found.length === 0 ? undefined : found.reduce((total, { value }) => total + value, 0);
  };
  return { types, samples, sum };
};

const parseLabels = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {};
  let end = 0;
  for (const match of text.matchAll(label)) {
    labels[match[1] ?? ''] = (match[2] ?? '').replace(/\\(.)/g, (_, character: string) =>
      character === 'n' ? '\n' : character,
    );
    end = match.index + match[0].length;
  }
  if (end !== text.length) expect.fail(`Not labels: ${text}`);
  return labels;
};

/** What was not measured yet is no number, in any spelling. */
const numberOf = (text: string): number => {
  const value = text === '+Inf' ? Infinity : Number(text);
  if (Number.isNaN(value) && text.toLowerCase() !== 'nan') expect.fail(`Not a number: ${text}`);
  return value;
};

export const scrape = async (url: string): Promise<Scrape> => {
  const response = await fetch(url);
  expect(response.status).to.equal(200);
  expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
  return parseScrape(await response.text());
};
