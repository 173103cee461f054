import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { createRecordMapping, type MappingOptions } from '../../src/ingest/recordMapping.js';
import { sourceRecord } from '../support/sourceRecords.js';

const usual: MappingOptions = { topic: 'orders', to: 'shop/desk/orders', value: 'json' };

const mapped = (options: Partial<MappingOptions>, record = sourceRecord(7)): any => {
  const made = createRecordMapping({ ...usual, ...options })(record);
  return 'json' in made ? JSON.parse(made.json) : made;
};

describe('createRecordMapping', () => {
  it('names a message after the place of its record', () => {
    const record = sourceRecord(41, { partition: 3, value: '{"total":12}' });
    expect(mapped({}, record)).to.deep.equal({
      ...{ topic: 'shop/desk/orders', data: { total: 12 }, id: 'orders:3:41' },
    });
  });

  it('has an id of the right length for the longest name of a topic', () => {
    const { id } = mapped({ topic: 'x'.repeat(249) }, sourceRecord(Number.MAX_SAFE_INTEGER));
    expect(id).to.match(/^[0-9a-f]{64}:0:9007199254740991$/);
  });

  it('puts the key and headers into the address and the filter', () => {
    const record = sourceRecord(1, { key: 'desk-4', headers: { region: 'eu', line: 'a' } });
    const options = { to: 'shop/{key}/orders-{header:line}', filter: '{header:region}.{key}' };
    expect(mapped(options, record)).to.include({ topic: 'shop/desk-4/orders-a', filter: 'eu.desk-4' });
  });

  it('leaves the filter out where the record has not got it', () => {
    expect(mapped({ filter: '{header:region}' })).not.to.have.property('filter');
  });

  it('maps no record without what its address needs, or with a key that would name another one', () => {
    const to = 'shop/{key}/orders';
    expect(mapped({ to }).why).to.include('no key or header');
    expect(mapped({ to }, sourceRecord(1, { key: 'a/b' })).why).to.equal(
      'shop/a/b/orders is no address app/room/topic',
    );
  });

  it('takes no key that is no text', () => {
    const record = { ...sourceRecord(1), key: Uint8Array.of(0xff) };
    expect(mapped({ to: 'shop/{key}/orders' }, record).why).to.include('no key or header, as text');
  });

  for (const to of ['shop/desk', 'a/b/c/d', 'a/{name}/c', 'a/{header:}/c', 'a/{/c', 'a/b}/c'])
    it(`refuses ${to}`, () => {
      expect(() => createRecordMapping({ ...usual, to })).to.throw(TypeError);
    });

  it('hands text on as text, and MessagePack as it is', () => {
    expect(mapped({ value: 'text' }, sourceRecord(1, { value: 'grüß' }))).to.include({ data: 'grüß' });
    const value = encode({ at: 1, blob: Uint8Array.of(1, 2) });
    const { base64 } = mapped({ value: 'msgpack' }, sourceRecord(1, { value }));
    expect(Buffer.from(base64, 'base64')).to.deep.equal(Buffer.from(value));
  });

  for (const length of [0, 3, 70_000])
    it(`hands ${length} bytes on as binary data`, () => {
      const value = new Uint8Array(length).fill(0xc1);
      const { base64 } = mapped({ value: 'bytes' }, sourceRecord(1, { value }));
      expect(decode(Buffer.from(base64, 'base64'))).to.deep.equal(value);
    });

  it('says what a value is not', () => {
    expect(mapped({}, sourceRecord(1, { value: 'plain' })).why).to.equal('its value is not json');
    const bytes = sourceRecord(1, { value: Uint8Array.of(0xff) });
    expect(mapped({ value: 'text' }, bytes).why).to.equal('its value is not text');
  });
});
