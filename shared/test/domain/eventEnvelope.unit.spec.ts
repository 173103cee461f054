import { expect } from 'chai';
import { dataTextOf } from '../../src/domain/eventEnvelope.js';

describe('the data of an event as text', () => {
  it('is JSON, and empty where there is none', () => {
    for (const data of [{ roomId: 'r' }, [], 'text', null, 0])
      expect(JSON.parse(dataTextOf(data))).to.eql(data);
    expect(dataTextOf(undefined)).to.equal('');
  });
});
