import { expect } from 'chai';
import { Chance } from '../../src/soak/chance.js';
import { brokerFaults, faultsFor } from '../../src/soak/cluster/faults.js';
import { brokenPromises, Publications } from '../../src/soak/cluster/publications.js';
import { type PhaseLatency, slowed } from '../../src/soak/cluster/soakCluster.js';
import { readSoakOptions } from '../../src/soak/options.js';

describe('The promises to those who follow a topic of a cluster', () => {
  const accepted = [3, 5, 8];

  it('are kept with every accepted message, once and in order', () => {
    expect(brokenPromises([3, 5, 8], accepted)).to.eql([]);
  });

  it('are kept where a message came that was refused, wherever it stands', () => {
    expect(brokenPromises([3, 7, 5, 8, 6], accepted)).to.eql([]);
  });

  it('are broken by a message that is lost, comes twice or comes behind a later one', () => {
    expect(brokenPromises([3, 8], accepted)).to.eql(['1 lost: 5']);
    expect(brokenPromises([3, 5, 5, 8], accepted)).to.eql(['1 came twice: 5']);
    expect(brokenPromises([5, 3, 8], accepted)).to.eql(['1 came behind a later one: 3']);
    expect(brokenPromises([], [1, 2, 3, 4, 5, 6])).to.eql(['6 lost: 1, 2, 3, 4, 5, …']);
  });
});

describe('What was published to a cluster', () => {
  it('is promised by topic, as far as it was accepted', () => {
    const publications = new Publications();
    const [one, , other, last] = ['a', 'a', 'b', 'a'].map((topic) => publications.begin(topic, 'calm', 0));
    for (const publication of [one, other, last]) if (publication) publication.outcome = 'accepted';
    expect(publications.acceptedOf('a')).to.eql([0, 3]);
    expect(publications.open).to.equal(1);
  });
});

describe('The faults of a cluster', () => {
  const first = (many: number, seed: number): readonly string[] => {
    const faults = faultsFor(new Chance(seed));
    return Array.from({ length: many }, () => faults.next().value.name);
  };
  const ofBrokers = brokerFaults.map(({ name }) => name);

  it('all strike in eighteen minutes, every third of them a broker', () => {
    const names = first(18, 7);
    expect(new Set(names).size).to.equal(15);
    for (const [index, name] of names.entries())
      expect(ofBrokers.includes(name), name).to.equal(index % 3 === 0);
    expect(new Set(names.filter((name) => ofBrokers.includes(name))).size).to.equal(3);
  });

  it('strike in the order of their seed', () => {
    expect(first(60, 7)).to.eql(first(60, 7));
    expect(first(60, 7)).not.to.eql(first(60, 8));
  });
});

describe('Deliveries while a broker is away', () => {
  const latencies = (before: number, away: number): readonly PhaseLatency[] => [
    { phase: 'before', p50: 1, p99: before, samples: 1 },
    { phase: 'broker away', p50: 1, p99: away, samples: 1 },
  ];

  it('may take three times as long as before', () => {
    expect(slowed(latencies(10, 30))).to.eql([]);
    expect(slowed(latencies(10, 31))).to.eql(['deliveries take 3.10 times as long while a broker is away']);
  });

  it('have to be made', () => {
    expect(slowed(latencies(10, Number.NaN))).to.have.lengthOf(1);
    expect(slowed([])).to.have.lengthOf(1);
  });
});

describe('The options of a soak', () => {
  it('ask less of a cluster', () => {
    expect(readSoakOptions(['--cluster'], 1)).to.include({ cluster: true, rooms: 12, rate: 30 });
    expect(readSoakOptions([], 1)).to.include({ cluster: false, rooms: 100, rate: 400, clients: 1_000 });
  });

  it('that do not go together are refused', () => {
    for (const other of [['--hostile'], ['--clients', '50'], ['--attacks', 'x']])
      expect(() => readSoakOptions(['--cluster', ...other], 1)).to.throw(/does not go with --cluster/);
  });
});
