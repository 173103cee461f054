import { expect } from 'chai';
import { RemoteMember } from '../../../src/jobs/members/remoteMember.js';

describe('a member whose group another process owns', () => {
  for (const how of ['leave', 'abandon'] as const)
    it(`[WS-ACK-4] sends what it has acknowledged before it leaves: ${how}`, () => {
      const kinds: string[] = [];
      const member = new RemoteMember({
        ...{ number: 1, groupId: 'g', storedUntil: () => 0, left: () => void kinds.push('left') },
        send: ({ kind }) => void kinds.push(kind),
        answered: () => ({ ref: 1, promise: Promise.resolve() }),
      });
      member.settle(1);
      member.settle(2);
      member[how]();
      expect(kinds).to.eql(how === 'leave' ? ['settle', 'leave', 'left'] : ['settle', 'left']);
    });
});
