import { expect } from 'chai';
import { readOptions, UsageError } from '../src/options.js';

describe('The command line', () => {
  const scenario = (name: string) => ({ name, summary: '', run: async () => [] });
  const all = [scenario('fan-out'), scenario('reads')];
  const namesOf = (args: readonly string[]) => readOptions(args, all)?.scenarios.map(({ name }) => name);

  it('selects every measurement by default', () => {
    expect(namesOf([])).to.deep.equal(['fan-out', 'reads']);
    expect(namesOf(['reads'])).to.deep.equal(['reads']);
    expect(namesOf(['fanOut', 'READS'])).to.deep.equal(['fan-out', 'reads']);
  });

  it('omits measurements that need engines unless they are named or requested', () => {
    const both = [scenario('reads'), { ...scenario('gateways'), needsEngines: true as const }];
    const chosenOf = (...args: string[]) => readOptions(args, both)?.scenarios.map(({ name }) => name);
    expect(chosenOf()).to.deep.equal(['reads']);
    expect(chosenOf('gateways')).to.deep.equal(['gateways']);
    expect(chosenOf('--engines')).to.deep.equal(['reads', 'gateways']);
    expect(chosenOf('reads', '--engines')).to.deep.equal(['reads', 'gateways']);
  });

  it('limits time and rounds', () => {
    expect(readOptions(['--seconds', '1.5', '--runs', '4'], all)).to.include({ seconds: 1.5, runs: 4 });
    for (const wrong of [
      ['--seconds', '0'],
      ['--seconds', '61'],
      ['--runs', 'many'],
      ['--runs', '26'],
      ['writes'],
      ['-x'],
    ])
      expect(() => readOptions(wrong, all), wrong.join(' ')).to.throw(UsageError);
  });

  it('takes another version to compare with', () => {
    expect(readOptions(['--before', '../before'], all)).to.include({ before: '../before' });
    expect(readOptions([], all)?.before).to.equal(undefined);
  });

  it('shows the help', () => {
    expect(readOptions(['--help'], all)).to.equal(undefined);
  });
});
