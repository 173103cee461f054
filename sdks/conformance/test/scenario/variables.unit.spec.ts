import { expect } from 'chai';
import { at, Variables } from '../../src/scenario/variables.js';

describe('The variables of a scenario', () => {
  const variables = new Variables({ app: 'chat-1a2b', ann: { id: 'a1', n: 3 } });

  it('stand for values in texts, and are values where nothing else is there', () => {
    expect(variables.fill('{{app}}/lobby/{{ann.id}}')).to.equal('chat-1a2b/lobby/a1');
    expect(variables.fill({ list: ['{{ann.n}}'], '{{ann.id}}': 1 })).to.eql({ list: [3], a1: 1 });
  });

  it('must be known', () => {
    expect(() => variables.fill('{{ben.id}}')).to.throw('ben.id');
  });

  it('are set by later steps', () => {
    variables.set('later', ['x']);
    expect(variables.fill('{{later}}')).to.eql(['x']);
  });

  it('may be long texts', () => {
    expect(variables.fill({ $filled: 3 })).to.equal('xxx');
  });

  it('may be times to come', () => {
    expect(new Variables({}, () => 1_000).fill({ at: { $inSeconds: 2 } })).to.eql({ at: 3_000 });
  });

  it('are found by paths', () => {
    expect(at([{ meta: { id: 'm' } }], '0.meta.id')).to.equal('m');
    expect(at(1, '')).to.equal(1);
    expect(at({}, 'a.b')).to.equal(undefined);
  });
});
