"""The drawing of a kind: its steps as boxes, its transitions as lines; also as PNG and BPMN."""
