"""The C interfaces of FMI as tables: function name -> result and argument types."""
