import { expect } from 'chai';
import type { ActorType } from '../../src/domain/actors/actor.js';
import type { App } from '../../src/domain/apps/app.js';
import { admits, type TopicAction } from '../../src/domain/rooms/admission.js';
import type { Room } from '../../src/domain/rooms/room.js';
import { app, room } from '../../src/testing/records.js';

const appWith = (fields: Partial<App> = {}): App => app('p', 'a', { topics: ['chat'], ...fields });
const roomWith = (fields: Partial<Room> = {}): Room =>
  room({ appId: 'a', projectId: 'p' }, 'r', { topics: ['chat', 'news', 'webrtc:offer'], ...fields });

const asks = (topic = 'chat', action: TopicAction = 'subscribe', actorType: ActorType = 'user') => ({
  topic,
  action,
  actorType,
});

describe('admission to a topic of a room', () => {
  it('is given where app and room are active and both have the topic', () => {
    expect(admits(appWith(), roomWith(), asks())).to.equal(true);
    expect(admits(appWith(), roomWith(), asks('chat', 'publish'))).to.equal(true);
  });

  it('needs the topic on the app and on the room', () => {
    expect(admits(appWith(), roomWith(), asks('news'))).to.equal(false);
    expect(admits(appWith({ topics: ['chat', 'else'] }), roomWith(), asks('else'))).to.equal(false);
  });

  it('needs the WebRTC topics on the room alone', () => {
    expect(admits(appWith(), roomWith(), asks('webrtc:offer'))).to.equal(true);
    expect(admits(appWith(), roomWith(), asks('webrtc:answer'))).to.equal(false);
  });

  it('ends with a disabled or suspended app, and with a disabled room', () => {
    expect(admits(appWith({ status: 'disabled' }), roomWith(), asks())).to.equal(false);
    expect(admits(appWith({ status: 'suspended' }), roomWith(), asks())).to.equal(false);
    expect(admits(appWith(), roomWith({ status: 'disabled' }), asks())).to.equal(false);
  });

  it('lets an observer listen and nothing else', () => {
    expect(admits(appWith(), roomWith(), asks('chat', 'subscribe', 'observer'))).to.equal(true);
    expect(admits(appWith(), roomWith(), asks('chat', 'publish', 'observer'))).to.equal(false);
  });

  it('is closed in a private app', () => {
    expect(admits(appWith({ config: { accessMode: 'private' } }), roomWith(), asks())).to.equal(false);
  });
});
