import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { everyChannel, everyQueue } from '@roomwire/shared/wire/bus/everyTopic';

interface Topic {
  readonly name: string;
  readonly codec: unknown;
}

const folder = new URL('../../../src/wire/bus/', import.meta.url);

/** Of brokers alone, and what earlier releases have left. */
const withoutThreads = /^(recorded-\w+|webhook-dead-letters)$/;

const isTopic = (exported: unknown): exported is Topic =>
  typeof exported === 'object' && exported !== null && 'name' in exported && 'codec' in exported;

const valuesOf = (group: unknown): readonly unknown[] =>
  typeof group === 'object' && group !== null ? Object.values(group) : [];

const declared = async (): Promise<readonly string[]> => {
  const names = new Set<string>();
  for (const file of (await readdir(folder)).filter((each) => each.endsWith('.js'))) {
    const exported = valuesOf(await import(new URL(file, folder).href));
    const grouped = exported.filter((each) => !isTopic(each)).flatMap(valuesOf);
    for (const each of [...exported, ...grouped]) if (isTopic(each)) names.add(each.name);
  }
  return [...names];
};

describe('the topics that threads may name', () => {
  it('are all that there are', async () => {
    const named = new Set<string>([...everyChannel, ...everyQueue].map(({ name }) => name));
    const missing = (await declared()).filter((name) => !named.has(name) && !withoutThreads.test(name));
    expect(missing).to.eql([]);
    expect(named.size).to.equal(everyChannel.length + everyQueue.length);
  });
});
