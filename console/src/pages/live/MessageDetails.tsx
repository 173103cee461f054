import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { DataView } from '../../components/DataView.js';
import { sizeText } from '../../components/dataText.js';
import { Identifier } from '../../components/Identifier.js';
import { Time } from '../../components/Time.js';
import type { ShownEntry } from './shownEntry.js';

interface MessageDetailsProps {
  readonly entry: ShownEntry | undefined;
  readonly address: string;
  readonly scope: string | undefined;
}

/** All that is known of the message that was chosen. */
export const MessageDetails = ({ entry, address, scope }: MessageDetailsProps) => {
  const pathTo = usePathTo();
  if (entry === undefined) return null;
  const { at, id, from, filter, position, data, isEncoded } = entry;
  return (
    <section className="panel" aria-label="The message">
      <div className="panel-head">
        <h2>Message</h2>
        {id !== undefined && (
          <Link href={pathTo('trace', { topic: address, scope, messageId: id })}>
            Who got it, and who did not
          </Link>
        )}
      </div>
      <div className="stack">
        <dl className="facts">
          <dt>Accepted</dt>
          <dd>
            <Time at={at} exact />
          </dd>
          {id !== undefined && (
            <>
              <dt>Id</dt>
              <dd>
                <Identifier value={id} what="the message id" />
              </dd>
            </>
          )}
          <dt>Published by</dt>
          <dd>
            {typeof from === 'string' ? (
              <Identifier value={from} what="the actor id" />
            ) : from === null ? (
              'a backend'
            ) : (
              'not known'
            )}
          </dd>
          {filter !== undefined && (
            <>
              <dt>Filter</dt>
              <dd>{filter}</dd>
            </>
          )}
          {position !== undefined && (
            <>
              <dt>Position</dt>
              <dd>
                <Identifier value={position} what="the position" />
              </dd>
            </>
          )}
          {data instanceof Uint8Array && (
            <>
              <dt>Data</dt>
              <dd>
                {isEncoded ? 'MessagePack that JSON cannot hold' : 'Bytes'}, {sizeText(data.length)}
              </dd>
            </>
          )}
        </dl>
        <DataView value={data} what="the data of the message" />
      </div>
    </section>
  );
};
