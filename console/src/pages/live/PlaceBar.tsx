import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChoiceField } from '../../components/ChoiceField.js';
import { SelectField, TextField } from '../../components/fields.js';
import { useProject } from '../../session/console.js';
import type { PlaceChoice } from './place.js';
import { appOf, appsNamed, roomOf, roomsNamed, scopesOf } from './queries.js';

/** Where: an app, a room, a topic, and a scope where there are some. */
export const PlaceBar = ({ place }: { readonly place: PlaceChoice }) => {
  const { appId, roomId, topic, scope, filterText, choose } = place;
  const project = useProject();
  const [appText, searchApps] = useState('');
  const [roomText, searchRooms] = useState('');
  const apps = useQuery({ ...appsNamed(project, appText), placeholderData: (before) => before });
  const rooms = useQuery(roomsNamed(project, appId, roomText));
  const scopes = useQuery(scopesOf(project));
  const { data: app } = useQuery(appOf(project, appId));
  const { data: room } = useQuery(roomOf(project, appId, roomId));
  const topics = app && room ? room.topics.filter((name) => app.topics.includes(name)) : [];

  return (
    <div className="place-bar">
      <ChoiceField
        label="App"
        chosen={chosenOf(appId, app?.name ?? apps.data?.find((one) => one.appId === appId)?.name)}
        choices={(apps.data ?? []).map(({ appId: id, name, slug }) => ({
          id,
          title: name,
          description: slug,
        }))}
        onChoose={(id) => id !== appId && choose({ app: id, room: undefined, topic: undefined })}
        onSearch={searchApps}
        empty="No app of this name"
      />
      <ChoiceField
        label="Room"
        isDisabled={appId === undefined}
        chosen={chosenOf(roomId, room?.name ?? rooms.data?.find((one) => one.roomId === roomId)?.name)}
        choices={(rooms.data ?? []).map(({ roomId: id, name, slug }) => ({
          id,
          title: name,
          description: slug,
        }))}
        onChoose={(id) => id !== roomId && choose({ room: id, topic: undefined })}
        onSearch={searchRooms}
        empty="No room of this name"
      />
      <SelectField
        name="topic"
        label="Topic"
        isDisabled={topics.length === 0}
        choices={topics.map((name) => ({ id: name, title: name }))}
        value={topic ?? ''}
        onChange={(name) => choose({ topic: name })}
      />
      {scopes.data !== undefined && scopes.data.length > 0 && (
        <SelectField
          name="scope"
          label="Scope"
          choices={[
            { id: '', title: 'Outside of every scope' },
            ...scopes.data.map(({ accessScopeId, name }) => ({ id: accessScopeId, title: name })),
          ]}
          value={scope ?? ''}
          onChange={(id) => choose({ scope: id })}
        />
      )}
      <FilterField key={filterText} filterText={filterText} onChange={(filters) => choose({ filters })} />
    </div>
  );
};

const chosenOf = (id: string | undefined, title = '') => (id === undefined ? undefined : { id, title });

interface FilterFieldProps {
  readonly filterText: string;
  readonly onChange: (text: string) => void;
}

/** Takes effect when it is left, or with Enter: each change is another subscription. */
const FilterField = ({ filterText, onChange }: FilterFieldProps) => {
  const [text, setText] = useState(filterText);
  const take = (): void => {
    if (text.trim() !== filterText) onChange(text.trim());
  };
  return (
    <form
      className="filter-field"
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
      onBlur={take}
    >
      <TextField
        name="filters"
        label="Filters"
        placeholder="eu, us+urgent"
        value={text}
        onChange={setText}
        autoComplete="off"
      />
    </form>
  );
};
