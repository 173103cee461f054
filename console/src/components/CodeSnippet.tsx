import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { CopyButton } from './CopyButton.js';

export interface Snippet {
  /** Of the tab: `SDK`, `curl`, `CLI`. */
  readonly title: string;
  readonly code: string;
}

interface CodeSnippetProps {
  /** What the code does. */
  readonly label: string;
  readonly snippets: readonly Snippet[];
}

/** The same in several languages, to copy. Secrets stand as variables in it: `$ROOMWIRE_API_KEY`. */
export const CodeSnippet = ({ label, snippets }: CodeSnippetProps) => (
  <Tabs className="snippet">
    <TabList aria-label={label} className="tab-list">
      {snippets.map(({ title }) => (
        <Tab key={title} id={title}>
          {title}
        </Tab>
      ))}
    </TabList>
    {snippets.map(({ title, code }) => (
      <TabPanel key={title} id={title} className="snippet-panel">
        <pre tabIndex={0} aria-label={`${label}, ${title}`}>
          <code>{code}</code>
        </pre>
        <CopyButton text={code} what={`the ${title} code`} />
      </TabPanel>
    ))}
  </Tabs>
);
