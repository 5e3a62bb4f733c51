import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';

/** A button that asks before an action that can't be undone. */
export function Confirm(props: {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly onConfirm: () => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger className="danger">{props.label}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{props.title}</Dialog.Title>
          <Dialog.Description>{props.text}</Dialog.Description>
          <div className="bar">
            <button
              type="button"
              className="danger"
              onClick={() => {
                setIsOpen(false);
                props.onConfirm();
              }}
            >
              {props.label}
            </button>
            <Dialog.Close>Cancel</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
