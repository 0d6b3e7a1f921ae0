"""The recall layer of an agent: memories with ids, session history with file:line anchors."""
