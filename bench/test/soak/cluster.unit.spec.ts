import { expect } from 'chai';
import { brokenPromises, Publications } from '../../src/soak/cluster/publications.js';

describe('The promises to somebody who follows a topic of a cluster', () => {
  const accepted = [3, 5, 8];

  it('are kept with every accepted message, once and in order', () => {
    expect(brokenPromises([3, 5, 8], accepted)).to.eql([]);
  });

  it('are kept where a message came that was refused, wherever it stands', () => {
    expect(brokenPromises([3, 7, 5, 8, 6], accepted)).to.eql([]);
  });

  it('are broken by a message that is lost, comes twice or comes behind a later one', () => {
    expect(brokenPromises([3, 8], accepted)).to.eql(['1 lost: 5']);
    expect(brokenPromises([3, 5, 5, 8], accepted)).to.eql(['1 came twice: 5']);
    expect(brokenPromises([5, 3, 8], accepted)).to.eql(['1 came behind a later one: 3']);
    expect(brokenPromises([], [1, 2, 3, 4, 5, 6])).to.eql(['6 lost: 1, 2, 3, 4, 5, …']);
  });
});

describe('What was published to a cluster', () => {
  it('is promised by topic, as far as it was accepted', () => {
    const publications = new Publications();
    const [one, , other, last] = ['a', 'a', 'b', 'a'].map((topic) => publications.begin(topic, 'calm'));
    for (const publication of [one, other, last]) if (publication) publication.outcome = 'accepted';
    expect(publications.acceptedOf('a')).to.eql([0, 3]);
    expect(publications.open).to.equal(1);
  });
});
