import { connect } from '@roomwire/sdk';
import { Outbox } from './outbox.js';
import { People } from './people.js';
import { Thread } from './thread.js';

const element = (id) => document.getElementById(id);
const pageSize = 50;
const warn = (error) => console.warn(error);

const fetchSession = async (name) => {
  const answer = await fetch(`session?name=${encodeURIComponent(name)}`);
  if (!answer.ok) throw new Error(`No session: ${answer.status}`);
  return answer.json();
};

const enter = async (name) => {
  const { url, topic, room } = await fetchSession(name);
  const client = connect({
    url,
    // A fresh token for every connection.
    token: async () => (await fetchSession(name)).token,
    reconnect: { baseMs: 500, maxMs: 5_000, restartSpreadMs: 500 },
  });
  const people = new People(element('present'));
  const thread = new Thread(element('thread'), people);
  openComposer(new Outbox(client, topic, thread));

  const refreshPeople = people.follow(client, room);
  showState(client, name, refreshPeople);
  client.on('error', warn);
  const { actorTokenId: me } = await client.ready();
  const older = element('older');
  let replayed = 0;
  const show = (message) => {
    thread.show(message, message.meta.from === me);
    if (message.isReplay && (replayed += 1) === pageSize) older.hidden = false;
  };
  await client.enter(room, { name });
  await refreshPeople();

  /** More than is replayed at once is in the history all the same. */
  const fill = async (line, { reason, after, before = '~' }) => {
    if (reason !== 'limit') return;
    for await (const message of client.history(topic, { after })) {
      if (message.meta.position >= before) break;
      show(message);
    }
    line.remove();
  };

  // Everything: what was, what comes, what my other devices say, and over any number of reconnects.
  await client.subscribe(topic, show, {
    rewind: pageSize,
    resume: true,
    own: true,
    onGap: (gap) => void fill(thread.showGap(gap), gap).catch(warn),
  });

  older.onclick = async () => {
    let count = 0;
    for await (const message of client.history(topic, { before: thread.oldest ?? '', limit: pageSize })) {
      show(message);
      count += 1;
    }
    older.hidden = count < pageSize;
  };
};

/** Whether or not there is a connection: what is typed waits for one. */
const openComposer = (outbox) => {
  element('composer').onsubmit = (event) => {
    event.preventDefault();
    const text = element('text').value.trim();
    element('text').value = '';
    if (text !== '') outbox.add(text);
  };
  element('room').hidden = false;
};

const showState = (client, name, refreshPeople) => {
  const state = element('state');
  const show = ({ name: now }) => {
    const isHere = now === 'connected';
    state.textContent = isHere ? `connected as ${name}` : now === 'closed' ? 'closed' : 'connecting …';
    state.classList.toggle('away', !isHere);
    if (isHere) refreshPeople().catch(warn);
  };
  client.on('state', show);
  show(client.state);
};

const open = (name) => {
  sessionStorage.setItem('name', name);
  element('entrance').hidden = true;
  enter(name).catch((error) => {
    element('room').hidden = false;
    element('state').textContent = error.message;
  });
};

element('entrance').onsubmit = (event) => {
  event.preventDefault();
  open(element('name').value.trim());
};

// `?name=Ann` is for demonstrations; a reload stays in the room.
const known = new URLSearchParams(location.search).get('name') ?? sessionStorage.getItem('name');
if (known) open(known);
