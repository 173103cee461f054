import { closeSync, fstatSync, openSync } from 'node:fs';
import { expect } from 'chai';
import { DescriptorSlots, openFrom } from '../../src/threads/descriptorSlots.js';

const open = (): number => openSync('/dev/null', 'r');
const isOpen = (descriptor: number): boolean => {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
};
const put = (slots: DescriptorSlots, descriptor: number): number => slots.put(descriptor) ?? expect.fail();

describe('descriptors on their way to a thread', () => {
  it('are closed where the thread has ended without them', () => {
    const slots = new DescriptorSlots();
    const [one, other] = [open(), open()];
    put(slots, one);
    put(slots, other);
    slots.closeAll();
    expect([isOpen(one), isOpen(other)]).to.eql([false, false]);
  });

  it('belong to the thread once it has opened them', () => {
    const slots = new DescriptorSlots();
    const descriptor = open();
    expect(openFrom(slots.slots, put(slots, descriptor), (given) => given)).to.equal(descriptor);
    slots.closeAll();
    expect(isOpen(descriptor)).to.equal(true);
    closeSync(descriptor);
  });

  it('are closed where the thread died while it opened them, unless another has their number by now', () => {
    const slots = new DescriptorSlots();
    const [left, reused] = [open(), openSync(import.meta.filename, 'r')];
    // What `openFrom` has written when the thread dies in it.
    for (const descriptor of [left, reused]) Atomics.store(slots.slots, put(slots, descriptor), -descriptor);
    closeSync(reused);
    const next = open();
    expect(next).to.equal(reused);
    slots.closeAll();
    expect([isOpen(left), isOpen(next)]).to.eql([false, true]);
    closeSync(next);
  });

  it('give their slot back where the thread cannot open them', () => {
    const slots = new DescriptorSlots();
    const descriptor = open();
    const slot = put(slots, descriptor);
    const fail = (): never => {
      throw new Error('not a socket');
    };
    expect(() => openFrom(slots.slots, slot, fail)).to.throw('not a socket');
    slots.closeAll();
    expect(isOpen(descriptor)).to.equal(true);
    closeSync(descriptor);
  });

  it('are refused while the thread takes none', () => {
    const slots = new DescriptorSlots();
    const descriptor = open();
    const taken: number[] = [];
    for (let slot = slots.put(descriptor); slot !== undefined; slot = slots.put(descriptor)) taken.push(slot);
    expect(new Set(taken).size).to.equal(slots.slots.length);
    for (const slot of taken) openFrom(slots.slots, slot, (given) => given);
    expect(slots.put(descriptor)).to.be.a('number');
    closeSync(descriptor);
  });
});
