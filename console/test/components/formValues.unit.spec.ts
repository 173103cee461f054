import { expect } from 'chai';
import { ApiFailure } from '../../src/api/failure.js';
import { fieldOf } from '../../src/components/Form.js';
import { readForm } from '../../src/components/formValues.js';

const form = (fields: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return readForm(data);
};

describe('values of a form', () => {
  it('are trimmed, and absent where nothing was entered', () => {
    const values = form({ name: '  Lobby ', description: ' ' });
    expect(values.text('name')).to.equal('Lobby');
    expect(values.text('nothing')).to.equal('');
    expect(values.optional('description')).to.equal(undefined);
  });

  it('are numbers, flags and lists', () => {
    const values = form({ seconds: '60', isOn: 'on', topics: 'chat, events\n\nalarms' });
    expect(values.number('seconds')).to.equal(60);
    expect(values.number('messages')).to.equal(undefined);
    expect([values.flag('isOn'), values.flag('isOff')]).to.eql([true, false]);
    expect(values.list('topics')).to.eql(['chat', 'events', 'alarms']);
  });

  it('are times in UTC, of the time zone of the reader', () => {
    const values = form({ from: '2026-01-31T12:00', to: '' });
    expect(values.time('from')).to.equal(new Date(2026, 0, 31, 12).toISOString());
    expect(values.time('to')).to.equal(undefined);
  });

  it('are JSON, or say why not', () => {
    expect(form({ metadata: '{"a":1}' }).json('metadata')).to.eql({ a: 1 });
    expect(form({ metadata: '' }).json('metadata')).to.equal(undefined);
    expect(() => form({ metadata: '{' }).json('metadata'))
      .to.throw(ApiFailure)
      .with.nested.property('problems[0].path', 'metadata');
  });
});

describe('the field of a problem', () => {
  const fields = new Set(['name', 'topics', 'config.eventWebhook']);
  const isField = (name: string): boolean => fields.has(name);

  it('is that of its path, or the nearest around it', () => {
    expect(fieldOf('name', isField)).to.equal('name');
    expect(fieldOf('topics.2', isField)).to.equal('topics');
    expect(fieldOf('config.eventWebhook.headers.x', isField)).to.equal('config.eventWebhook');
  });

  it('is none where the form has none', () => {
    expect(fieldOf('', isField)).to.equal(undefined);
    expect(fieldOf('slug', isField)).to.equal(undefined);
    expect(fieldOf('config.accessMode', isField)).to.equal(undefined);
  });
});
