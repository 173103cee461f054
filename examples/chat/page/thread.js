const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

/**
 * The lines on the screen. Each is there once, whichever way it comes: live, from the history, or as what was just typed. They stand in the
 * order of their positions, which sort as text; what was typed here has none until it comes from the history.
 */
export class Thread {
  #list;
  #scroll;
  #people;
  #lines = new Map();

  constructor(list, people) {
    this.#list = list;
    this.#scroll = list.parentElement;
    this.#people = people;
    people.onName = (actor) => this.#rename(actor);
  }

  /** Before it, older ones may be asked for. */
  get oldest() {
    return this.#list.querySelector('[data-position]')?.dataset.position;
  }

  has(id) {
    return this.#lines.has(id);
  }

  /** A message as the service delivers it. */
  show({ data, meta }, isMine) {
    const line = this.#lines.get(meta.id) ?? this.#make(meta.id, data, isMine);
    line.dataset.from = meta.from ?? '';
    line.dataset.position = meta.position;
    line.classList.remove('sending', 'failed');
    line.querySelector('time').textContent = clock.format(meta.at);
    this.#label(line);
    this.#place(line);
  }

  /** What was typed here, until it is accepted. */
  showSending(id, text) {
    const line = this.#make(id, { text }, true);
    line.classList.add('sending');
    line.querySelector('time').textContent = 'sending';
    this.#place(line);
  }

  accepted(id) {
    const line = this.#lines.get(id);
    line.classList.remove('sending');
    if (line.dataset.position === undefined)
      line.querySelector('time').textContent = clock.format(Date.now());
  }

  failed(id, reason) {
    const line = this.#lines.get(id);
    line.classList.replace('sending', 'failed');
    line.querySelector('time').textContent = `not sent: ${reason}`;
  }

  /** A line that says so where messages are missing. */
  showGap({ reason, after }) {
    const line = document.createElement('li');
    line.className = 'gap';
    line.textContent =
      reason === 'expired'
        ? 'Messages are missing here: they are no longer kept'
        : 'Messages may be missing here';
    if (after) line.dataset.position = after;
    this.#place(line);
    return line;
  }

  #make(id, data, isMine) {
    const line = document.createElement('li');
    line.className = isMine ? 'line mine' : 'line';
    line.dataset.id = id;
    const [about, text] = [document.createElement('small'), document.createElement('span')];
    text.className = 'text';
    // What others have published is text, whatever it looks like.
    text.textContent = String(data?.text ?? '');
    const [name, time] = [document.createElement('b'), document.createElement('time')];
    about.append(name, ' ', time);
    line.append(about, text);
    this.#lines.set(id, line);
    return line;
  }

  #place(line) {
    const { position } = line.dataset;
    const wasAtEnd = this.#scroll.scrollHeight - this.#scroll.scrollTop - this.#scroll.clientHeight < 80;
    const later = [...this.#list.querySelectorAll('[data-position]')];
    const next = later.find((other) => other !== line && other.dataset.position > position);
    this.#list.insertBefore(line, next ?? this.#firstBehind(line));
    if (wasAtEnd) this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  /** A line that stands here already and is the last one of those with a position stays where it is. */
  #firstBehind(line) {
    return line.isConnected ? line.nextSibling : null;
  }

  #rename(actor) {
    for (const line of this.#lines.values()) if (line.dataset.from === actor) this.#label(line);
  }

  #label(line) {
    const isMine = line.classList.contains('mine');
    line.querySelector('b').textContent = isMine ? '' : this.#people.nameOf(line.dataset.from);
  }
}
