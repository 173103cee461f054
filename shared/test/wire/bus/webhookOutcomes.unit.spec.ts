import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { webhookOutcomes } from '../../../src/wire/bus/webhookOutcomes.js';
import { outcomeSamples } from './outcomeSamples.js';

const { codec, key } = webhookOutcomes;

describe('outcomes of webhook calls on the bus', () => {
  const [sample = expect.fail()] = outcomeSamples;

  for (const outcome of outcomeSamples)
    it(`are encoded and decoded without loss: ${outcome.outcome}`, () =>
      expect(codec.decode(codec.encode(outcome))).to.deep.equal(outcome));

  it('are keyed by project', () => expect(key(sample)).to.equal('p'));

  it('may carry fields that this program does not know', () => {
    expect(codec.decode(encode([1, { ...sample, later: [1] }]))).to.deep.include({ later: [1] });
  });

  for (const [what, record] of Object.entries({
    'a later version': [2, sample],
    'a class of a later program': [1, { ...sample, outcome: '6xx' }],
    'a step of a later program': [1, { ...sample, next: 'wait' }],
    'a kind of a later program': [1, { ...sample, kind: 'retraction' }],
    'a status that is none': [1, { ...sample, status: '204' }],
    'a time that is none': [1, { ...sample, at: null }],
    'a duration that is none': [1, { ...sample, durationMs: '1' }],
    'an outcome without a project': [1, { ...sample, projectId: undefined }],
    'something else': sample,
  }))
    it(`are not read from ${what}`, () =>
      expect(() => codec.decode(encode(record))).to.throw('Not a webhook outcome of a known version'));
});
