import { expect } from 'chai';
import { readForm } from '../../../src/components/formValues.js';
import { configurationOf } from '../../../src/pages/rooms/app/configuration.js';
import type { App } from '../../../src/pages/rooms/model.js';

const form = (fields: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return readForm(data);
};

describe('the configuration of an app, saved', () => {
  const url = 'https://example.com/hook';

  it('is as it was where nothing was entered', () => {
    const absent = { config: {}, triggerWebhook: null, hydrationWebhook: null } as App;
    expect(configurationOf(form({ 'config.accessMode': 'open' }), absent)).to.eql(absent);

    const named = {
      config: {
        ...{ accessMode: 'open', autoProvisionRooms: false, lobbies: [], theme: 'of the app itself' },
        eventWebhook: { url, bodyVersion: 1, events: ['joined', 'left'], lingerSeconds: 0 },
      },
      triggerWebhook: { url, retrySeconds: 60, bodyVersion: 2 },
      hydrationWebhook: { url, headers: { a: 'b' } },
    } as unknown as App;
    const untouched = form({
      'config.accessMode': 'open',
      'config.lobbies': '[]',
      'config.eventWebhook.url': url,
      'config.eventWebhook.bodyVersion': '1',
      'config.eventWebhook.events': 'joined, left',
      'config.eventWebhook.lingerSeconds': '0',
      'triggerWebhook.url': url,
      'triggerWebhook.retrySeconds': '60',
      'triggerWebhook.bodyVersion': '2',
      'hydrationWebhook.url': url,
      'hydrationWebhook.headers': '{ "a": "b" }',
    });
    expect(configurationOf(untouched, named)).to.eql(named);
  });

  it('has what was entered, and a default in the place of what was there', () => {
    const former = {
      config: { accessMode: 'private', eventWebhook: { url } },
      triggerWebhook: { url },
      hydrationWebhook: null,
    } as unknown as App;
    const entered = form({ 'config.accessMode': 'open', 'config.autoProvisionRooms': 'on' });
    expect(configurationOf(entered, former)).to.eql({
      config: { accessMode: 'open', autoProvisionRooms: true, eventWebhook: null },
      triggerWebhook: null,
      hydrationWebhook: null,
    });
  });
});
