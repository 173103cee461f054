import { expect } from 'chai';
import type { AppChanges, AppEvent, AppFields } from '@roomwire/shared/domain/app';
import { appsDecider, type AppCommand } from '../../src/apps/decider.js';
import { remade, sentences } from '../support/deciders.js';

const given = sentences(appsDecider);
const projectId = 'p1';

const fields = (appId: string): Omit<AppFields, 'slug'> => ({
  appId,
  projectId,
  name: 'Chat',
  description: null,
  blueprintId: null,
  blueprintVersion: null,
  pinnedBlueprintVersion: false,
  config: {},
  topics: ['chat'],
  topicConfigs: {},
  hydrationWebhook: null,
  triggerWebhook: null,
  dependencies: null,
  files: null,
  framework: null,
});
const created = (appId: string, slug: string): AppEvent => ({
  type: 'AppCreated',
  data: { ...fields(appId), slug },
});
const updated = (appId: string, changes: AppChanges): AppEvent => ({
  type: 'AppUpdated',
  data: { appId, changes },
});
const deleted = (appId: string): AppEvent => ({ type: 'AppDeleted', data: { appId } });

const create = (appId: string, slugs: string[], maxApps: number | null = null): AppCommand => ({
  type: 'CreateApp',
  app: fields(appId),
  slugs,
  maxApps,
});
const update = (appId: string, changes: AppChanges): AppCommand => ({
  type: 'UpdateApp',
  appId,
  projectId,
  changes,
});
const remove = (appId: string): AppCommand => ({ type: 'DeleteApp', appId, projectId });

describe('the apps of a project', () => {
  it('takes the first slug that is free', () => {
    given(created('a', 'chat-0001'))
      .when(create('b', ['chat-0001', 'chat-0002']))
      .then(created('b', 'chat-0002'));
  });

  it('rejects an app when every slug is taken', () => {
    given(created('a', 'chat-0001'))
      .when(create('b', ['chat-0001']))
      .thenRejected('app_slug_taken', { slug: 'chat-0001' });
  });

  it('counts the existing apps against the plan', () => {
    given(created('a', 's1'))
      .when(create('b', ['s2'], 1))
      .thenRejected('app_limit_reached');
    given(created('a', 's1'), deleted('a'))
      .when(create('b', ['s2'], 1))
      .then(created('b', 's2'));
    given()
      .when(create('a', ['s1'], 0))
      .thenRejected('app_limit_reached');
  });

  it('frees the slug of a deleted app', () => {
    given(created('a', 's1'), deleted('a'))
      .when(create('b', ['s1']))
      .then(created('b', 's1'));
  });

  it('changes only what differs', () => {
    given(created('a', 's1'))
      .when(update('a', { name: 'Chat', description: 'x' }))
      .then(updated('a', { description: 'x' }));
    given(created('a', 's1')).when(update('a', {})).thenNothing();
    given(created('a', 's1'))
      .when(update('a', { topics: ['chat'], slug: 's1' }))
      .thenNothing();
  });

  it('stores a new slug as sent, unless another app has it, and frees the old one', () => {
    given(created('a', 's1'))
      .when(update('a', { slug: 's9' }))
      .then(updated('a', { slug: 's9' }));
    given(created('a', 's1'), created('b', 's2'))
      .when(update('b', { slug: 's1' }))
      .thenRejected('app_slug_taken', { slug: 's1' });
    given(created('a', 's1'), updated('a', { slug: 's9' }))
      .when(create('b', ['s1']))
      .then(created('b', 's1'));
  });

  it('rejects changes of an app that does not exist', () => {
    given()
      .when(update('a', { name: 'x' }))
      .thenRejected('app_not_found', { appId: 'a', projectId });
    given(created('a', 's1')).when(remove('a')).then(deleted('a'));
    given().when(remove('a')).thenRejected('app_not_found', { appId: 'a', projectId });
    given(created('a', 's1'), deleted('a'))
      .when(remove('a'))
      .thenRejected('app_not_found', { appId: 'a', projectId });
  });

  it('is the same when it is made of its records', () => {
    const past = [created('a', 's1'), created('b', 's2'), updated('a', { slug: 's9' }), deleted('b')];
    const { state, again } = remade(appsDecider, past);
    expect(again).to.eql(state);
    expect([...(again?.slugs ?? [])]).to.eql(['s9']);
    expect(again?.byId.get('a')).to.include({ slug: 's9' });
  });

  it('has nothing of an app that was never created', () => {
    for (const event of [updated('a', { name: 'x' }), deleted('a')])
      expect(remade(appsDecider, [event]).state).to.eql(appsDecider.initial());
  });
});
