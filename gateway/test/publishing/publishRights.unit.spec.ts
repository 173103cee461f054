import { expect } from 'chai';
import { isCurrent, type TopicAccess } from '../../src/access/topicAccess.js';
import { publishRights } from '../../src/publishing/publishRights.js';

describe('where an author may publish', () => {
  const accessOf = (fields: Partial<TopicAccess> = {}) => {
    const location = { app: { isCurrent: true }, room: { isCurrent: true } };
    return { mayPublish: true, until: Number.POSITIVE_INFINITY, location, ...fields } as TopicAccess;
  };

  const rightsOn = (resolved: TopicAccess | undefined) => {
    const asked: string[] = [];
    let now = 0;
    const rights = publishRights({ now: () => now }, (address) => {
      asked.push(address);
      return resolved;
    });
    return { asked, rights, passTo: (time: number) => (now = time) };
  };

  it('is resolved once for each address', () => {
    const access = accessOf();
    const { asked, rights } = rightsOn(access);
    expect([rights('a/b/c'), rights('a/b/c'), rights('a/b/d')]).to.deep.equal([access, access, access]);
    expect(asked).to.deep.equal(['a/b/c', 'a/b/d']);
  });

  it('is resolved again once its app or its room has changed', () => {
    const access = accessOf();
    const { asked, rights } = rightsOn(access);
    void rights('a/b/c');
    access.location.room.isCurrent = false;
    expect(isCurrent(access)).to.equal(false);
    void rights('a/b/c');
    expect(asked).to.have.length(2);
  });

  it('ends when its grant expires, also for an address that is known', () => {
    const { rights, passTo } = rightsOn(accessOf({ until: 1_000 }));
    passTo(999);
    expect(rights('a/b/c')).to.not.equal(undefined);
    passTo(1_000);
    expect(rights('a/b/c')).to.equal(undefined);
  });

  it('is nowhere that only subscribing is allowed, nor where there is nothing, which is asked again', () => {
    expect(rightsOn(accessOf({ mayPublish: false })).rights('a/b/c')).to.equal(undefined);
    const { asked, rights } = rightsOn(undefined);
    expect([rights('a/b/c'), rights('a/b/c')]).to.deep.equal([undefined, undefined]);
    expect(asked).to.have.length(2);
  });

  it('is waited for where it has to be read, and known from then on', async () => {
    const access = accessOf();
    const rights = publishRights({ now: () => 0 }, () => Promise.resolve(access));
    const resolved = rights('a/b/c');
    expect(resolved).to.be.instanceOf(Promise);
    expect([await resolved, rights('a/b/c')]).to.deep.equal([access, access]);
  });
});
