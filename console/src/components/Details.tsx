import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, Disclosure, DisclosurePanel } from 'react-aria-components';

interface DetailsProps {
  /** Of the button, with what the details are of: `Details of Room created`. */
  readonly label: string;
  readonly title?: string;
  readonly children: ReactNode;
}

/** What is shown to whoever asks for it. */
export const Details = ({ label, title = 'Details', children }: DetailsProps) => (
  <Disclosure>
    <Button slot="trigger" className="button quiet disclosure-button" aria-label={label}>
      <ChevronRight aria-hidden size={13} /> {title}
    </Button>
    <DisclosurePanel>{children}</DisclosurePanel>
  </Disclosure>
);
