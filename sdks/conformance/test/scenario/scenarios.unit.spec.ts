import { expect } from 'chai';
import { stepKinds } from '../../src/play/steps/steps.js';
import { loadScenarios } from '../../src/scenario/loadScenarios.js';
import { parseScenarios } from '../../src/scenario/parseScenarios.js';

const parse = (steps: string) =>
  parseScenarios(`{ name: a-name, title: A title, steps: ${steps} }`, stepKinds);

describe('The scenarios', () => {
  it('are at least eighty, each with a name of its own that a command line can carry', async () => {
    const names = (await loadScenarios(stepKinds)).map(({ name }) => name);
    expect(names).to.have.length.at.least(80);
    for (const name of names) expect(name).to.match(/^[a-z0-9]+(-[a-z0-9]+)+$/);
  });

  it('have steps that there are, with the fields that these have', () => {
    expect(() => parse('[{ dance: ann }]')).to.throw('Scenario a-name: Step 1 is not one of the steps');
    expect(() => parse('[{ cut: ann }, { publish: { client: ann } }]')).to.throw(
      'Step 2 (publish) lacks topic, data',
    );
    expect(() => parse('[{ cut: { client: ann, often: true } }]')).to.throw('unknown fields: often');
    expect(() => parse('[{ repeat: { times: 2, steps: [{ dance: ann }] } }]')).to.throw('Step 1.1');
  });

  it('say a client in short where a step needs nothing else', () => {
    expect(parse('[{ cut: ann }]')[0]?.steps).to.eql([
      { name: 'cut', fields: { client: 'ann' }, place: '1' },
    ]);
  });

  it('are given what most of them need', () => {
    const [scenario] = parse('[]');
    expect(Object.keys(scenario?.given.topics ?? {})).to.eql(['lines', 'log']);
    expect(scenario?.given.hasOwnServer).to.equal(false);
  });
});
